import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../local/bundle/bundle.ts';

/** The deployable app in an empty folder far from any node_modules, put there as a deployment does it. */
export async function unpackBundle(): Promise<{ readonly appRoot: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bundle-'));
  const appRoot = join(folder, 'unpacked');
  await bundle(join(folder, 'made'));
  await cp(join(folder, 'made'), appRoot, { recursive: true });
  await rm(join(folder, 'made'), { recursive: true });
  return { appRoot, remove: () => rm(folder, { recursive: true, force: true }) };
}
