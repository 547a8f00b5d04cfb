import '../local/requireNode24.ts';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm run bench [-- name … --seconds N]`. Each benchmark compares what is ours with a peer or a floor in one run and
 * prints the ratio: figures from different runs or machines say nothing about each other.
 */
export interface Benchmark {
  readonly name: string;
  /** Runs for about `seconds` per contestant and returns the lines to print. */
  run(options: { readonly seconds: number }): Promise<readonly string[]>;
}

const DEFAULT_SECONDS = 5;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string' } } });
const seconds = Number(values.seconds ?? DEFAULT_SECONDS);
if (!(seconds > 0)) throw new TypeError(`--seconds takes a positive number, not ${values.seconds}`);

const files = globSync('*.ts', { cwd: import.meta.dirname }).filter((file) => file !== basename(import.meta.filename));
const benchmarks = await Promise.all(
  files.sort().map((file) => import(join(import.meta.dirname, file)) as Promise<Benchmark>),
);
const chosen = positionals.length === 0 ? benchmarks : benchmarks.filter(({ name }) => positionals.includes(name));
if (chosen.length === 0) {
  console.error(`no such benchmark; there are: ${benchmarks.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}
for (const benchmark of chosen) {
  console.log(`\n${benchmark.name}`);
  for (const line of await benchmark.run({ seconds })) console.log(`  ${line}`);
}
process.exit();
