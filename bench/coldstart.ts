import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../local/bundle/bundle.ts';

/**
 * What a new instance has to fetch and to load before the first event: the bundled app against the same code as the
 * compiler left it, with its packages beside it. Load time is from the start of the process to "all functions are
 * registered", through the same worker; files are in the page cache for both.
 */
export const name = 'coldstart';

const ROOT = join(import.meta.dirname, '..');
const WORKER = join(ROOT, 'local', 'host', 'app', 'appProcess.ts');
const MEBIBYTE = 2 ** 20;
const MIN_RUNS = 3;
/** The app registers its functions by its settings; it connects to nothing while it loads. */
const SETTINGS = { COSMOS_ENDPOINT: 'http://127.0.0.1:1', AzureWebJobsStorage: 'UseDevelopmentStorage=true' };
/** In Azure telemetry is on, and its packages are the larger part. Nobody listens here, and loading does not wait for anybody. */
const TELEMETRY = {
  APPLICATIONINSIGHTS_CONNECTION_STRING:
    'InstrumentationKey=11111111-1111-4111-8111-111111111111;IngestionEndpoint=https://127.0.0.1:1/',
  APPLICATION_INSIGHTS_NO_STATSBEAT: 'true',
};

type Environment = Readonly<Record<string, string>>;

interface Size {
  readonly bytes: number;
  readonly files: number;
}

export async function run({ seconds }: { readonly seconds: number }): Promise<readonly string[]> {
  // Outside of the checkout, for there must be no packages to fall back to; the other one needs them.
  const bundled = await mkdtemp(join(tmpdir(), 'tributary-coldstart-'));
  const compiled = join(ROOT, '.local', 'coldstart');
  try {
    await bundle(bundled);
    await compile(compiled);
    const sizes = { bundled: await sizeOf(bundled), compiled: add(await sizeOf(compiled), await packagesSize()) };
    const lines = [
      `size: bundled ${inWords(sizes.bundled)}, unbundled ${inWords(sizes.compiled)}: ${(sizes.compiled.bytes / sizes.bundled.bytes).toFixed(1)} x smaller`,
    ];
    for (const [label, settings] of Object.entries({ load: {}, 'load with telemetry': TELEMETRY })) {
      lines.push(`${label}: ${await compareLoads(bundled, compiled, settings, seconds)}`);
    }
    return lines;
  } finally {
    await rm(bundled, { recursive: true, force: true });
    await rm(compiled, { recursive: true, force: true });
  }
}

/** Takes turns, so that what else the machine does strikes both. */
async function compareLoads(
  bundled: string,
  compiled: string,
  settings: Environment,
  seconds: number,
): Promise<string> {
  const times = { bundled: [] as number[], compiled: [] as number[] };
  const end = performance.now() + 2 * seconds * 1000;
  while (performance.now() < end || times.compiled.length < MIN_RUNS) {
    times.bundled.push(await loadMs(bundled, settings));
    times.compiled.push(await loadMs(compiled, settings));
  }
  const [fast, slow] = [median(times.bundled), median(times.compiled)];
  return `bundled ${fast.toFixed(0)} ms, unbundled ${slow.toFixed(0)} ms (medians of ${times.compiled.length}): ${(slow / fast).toFixed(2)} x faster`;
}

async function compile(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const compiler = join(ROOT, 'node_modules', '.bin', 'tsc');
  await promisify(execFile)(compiler, ['-p', 'tsconfig.build.json', '--outDir', join(folder, 'dist')], { cwd: ROOT });
  for (const file of ['package.json', 'host.json']) await copyFile(join(ROOT, file), join(folder, file));
}

async function loadMs(appRoot: string, settings: Environment): Promise<number> {
  const started = performance.now();
  const child = fork(WORKER, [appRoot], { env: { ...process.env, ...SETTINGS, ...settings }, silent: true });
  for (;;) {
    const [message] = (await once(child, 'message')) as [{ readonly kind: string; readonly message?: string }];
    if (message.kind === 'loadFailed') throw new Error(`the app in ${appRoot} did not load: ${message.message}`);
    if (message.kind !== 'ready') continue;
    const elapsed = performance.now() - started;
    child.kill('SIGKILL');
    await once(child, 'exit');
    return elapsed;
  }
}

/** What `npm install --omit=dev` would put beside the app. */
async function packagesSize(): Promise<Size> {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
  };
  const folders = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path]) => path);
  // A package inside another one is part of that one's folder.
  const outermost = folders.filter((path) => !folders.some((other) => path.startsWith(`${other}/node_modules/`)));
  let total: Size = { bytes: 0, files: 0 };
  for (const path of outermost) total = add(total, await sizeOf(join(ROOT, path)));
  return total;
}

async function sizeOf(folder: string): Promise<Size> {
  let bytes = 0;
  let files = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    files += 1;
    bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return { bytes, files };
}

function add(one: Size, other: Size): Size {
  return { bytes: one.bytes + other.bytes, files: one.files + other.files };
}

function inWords({ bytes, files }: Size): string {
  return `${(bytes / MEBIBYTE).toFixed(1)} MiB in ${files} files`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
