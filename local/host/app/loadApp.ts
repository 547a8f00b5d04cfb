import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const LIBRARY = '@azure/functions';

interface AppPackage {
  readonly main?: unknown;
  readonly type?: unknown;
}

function readPackage(appRoot: string): AppPackage {
  const content: unknown = JSON.parse(readFileSync(join(appRoot, 'package.json'), 'utf8'));
  return typeof content === 'object' && content !== null ? content : {};
}

function isEsModule(file: string, packageType: unknown): boolean {
  const extension = extname(file);
  if (extension === '.mjs' || extension === '.mts') {
    return true;
  }
  return packageType === 'module' && extension !== '.cjs' && extension !== '.cts';
}

/** The copy of `@azure/functions` that the app's own modules will get. Undefined where an app is bundled: it has its own inside. */
export function findLibrary(appRoot: string): unknown {
  try {
    return createRequire(join(appRoot, 'package.json'))(LIBRARY);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Loads each file that the glob in `main` of the app's package.json names. Throws when it names none. */
export async function loadAppFiles(appRoot: string): Promise<void> {
  const { main, type } = readPackage(appRoot);
  if (typeof main !== 'string' || main === '') {
    throw new Error('package.json has no "main", so there is nothing to load.');
  }
  const files = globSync(main, { cwd: appRoot }).sort();
  if (files.length === 0) {
    throw new Error(`"main" of package.json, "${main}", matches no file: is the app built?`);
  }
  const requireFromApp = createRequire(join(appRoot, 'package.json'));
  for (const file of files) {
    const path = join(appRoot, file);
    if (isEsModule(file, type)) {
      await import(pathToFileURL(path).href);
    } else {
      requireFromApp(path);
    }
  }
}
