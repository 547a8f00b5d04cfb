import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { Bicep } from '../../local/infra/bicep.ts';

/** A resource as the compiler predicts it: what only the deployment knows stays an expression in brackets. */
const resource = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  tags: z.record(z.string(), z.string()).optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
});
export type Resource = z.infer<typeof resource>;

const snapshot = z.object({
  predictedResources: z.array(z.looseObject(resource.shape)),
  outputs: z.record(z.string(), z.unknown()).default({}),
  diagnostics: z.array(z.unknown()),
});
export type Deployment = z.infer<typeof snapshot>;

const INFRA = join(import.meta.dirname, '..', '..', 'infra');
const SUBSCRIPTION = 'aaaaaaaa-0000-4000-8000-000000000001';

/**
 * What a deployment with these parameters would create. Runs `bicep snapshot`, which evaluates the template without any
 * service. `parameters` are Bicep expressions by name.
 */
export async function predict(bicep: Bicep, parameters: Readonly<Record<string, string>>): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-predict-'));
  try {
    const all = { environmentName: "'test'", location: "'westeurope'", ...parameters };
    const lines = Object.entries(all).map(([name, value]) => `param ${name} = ${value}`);
    const file = join(folder, 'main.bicepparam');
    await writeFile(file, [`using '${relative(folder, join(INFRA, 'main.bicep'))}'`, ...lines].join('\n'));
    const { code, output } = await bicep.run(
      ...['snapshot', file, '--mode', 'overwrite', '--subscription-id', SUBSCRIPTION, '--location', 'westeurope'],
    );
    if (code !== 0 || output.trim() !== '') throw new Error(`bicep snapshot: ${output}`);
    return snapshot.parse(JSON.parse(await readFile(join(folder, 'main.snapshot.json'), 'utf8')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The resources of one type, for instance `Microsoft.Web/sites`. */
export function ofType(deployment: Deployment, type: string): Resource[] {
  return deployment.predictedResources.filter((each) => each.type === type);
}

/** The only resource of a type. Throws RangeError when there is none, or more than one. */
export function only(deployment: Deployment, type: string): Resource {
  const [first, ...others] = ofType(deployment, type);
  if (first === undefined || others.length > 0) throw new RangeError(`${others.length + 1} or no ${type}`);
  return first;
}
