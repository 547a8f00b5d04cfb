import './requireNode24.ts';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm test [-- folder or file …]`: node's own runner, without the long proofs. `--long` runs just those: what is in
 * `test/faults`, and `*.long.test.ts`, which need a browser or a bundle.
 */
const LONG_PROOFS = /^test[/\\]faults[/\\]|\.long\.test\.ts$/;
/** The machine has to serve and test at once, and tests wait more than they compute. */
const CONCURRENCY = '3';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { long: { type: 'boolean', default: false } },
});
const files = (positionals.length > 0 ? positionals : ['test']).flatMap((root) =>
  root.endsWith('.ts') ? [root] : globSync(`${root}/**/*.test.ts`),
);
const chosen = positionals.length > 0 ? files : files.filter((file) => LONG_PROOFS.test(file) === values.long);
if (chosen.length === 0) {
  console.error(`no tests in ${positionals.join(', ')}`);
  process.exit(1);
}
const result = spawnSync(process.execPath, ['--test', `--test-concurrency=${CONCURRENCY}`, ...chosen.sort()], {
  stdio: 'inherit',
  // Each file is a process of its own, and most load the same packages.
  env: { NODE_COMPILE_CACHE: join(tmpdir(), 'tributary-compile-cache'), ...process.env },
});
process.exit(result.status ?? 1);
