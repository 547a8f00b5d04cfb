import { globSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

const ROOT = join(import.meta.dirname, '..', '..');
/** What the worker injects; the library finds out by `require` at run time whether it is there. */
const INJECTED = '@azure/functions-core';
/** CommonJS parts call `require`, which ES modules lack. The worker injects its module through `Module.prototype.require`. */
const REQUIRE_FOR_ES_MODULES =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** Thrown when the bundle would behave otherwise than the app beside its packages. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

/**
 * Writes the deployable app to `folder`, which is emptied first: host.json, a package.json without dependencies, and
 * `dist/` with every function and every package in it. ES modules that share chunks, so that the functions share one
 * runtime, and what is imported lazily stays a file of its own.
 * Throws BundleError for a package that would not be in it as it is beside it.
 * White space and syntax are minified; names are not, for stack traces are read by people. Source maps are beside the code.
 */
export async function bundle(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const functions = globSync('*.ts', { cwd: join(ROOT, 'functions') }).sort();
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: functions.map((file) => join('functions', file)),
    outbase: '.',
    outdir: join(folder, 'dist'),
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    metafile: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    external: [INJECTED],
    banner: { js: REQUIRE_FOR_ES_MODULES },
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  });
  expectNamedExports(metafile);
  const { name, version, license, type, main } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ name, version, license, private: true, type, main }, null, 2)}\n`,
  );
  await copyFile(join(ROOT, 'host.json'), join(folder, 'host.json'));
}

/** With `splitting`, what `import()` gives of a CommonJS package is its default export alone: names would be undefined. */
function expectNamedExports({ outputs }: Metafile): void {
  const broken = Object.values(outputs).filter(
    ({ entryPoint, exports }) => entryPoint?.includes('node_modules/') && exports.every((name) => name === 'default'),
  );
  if (broken.length > 0) {
    const names = broken.map(({ entryPoint }) => entryPoint).join(', ');
    throw new BundleError(
      `loaded lazily and CommonJS: ${names}; import it statically in a module that is loaded lazily`,
    );
  }
}
