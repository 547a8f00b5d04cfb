import './requireNode24.ts';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

/** `npm test [folder or file …]`: node's own runner. Without arguments all but the long proofs in test/faults. */
const LONG_PROOFS = 'test/faults/';
/** The machine has to build, serve and test at once. */
const CONCURRENCY = '2';

const roots = process.argv.slice(2);
const files = (roots.length > 0 ? roots : ['test']).flatMap((root) =>
  root.endsWith('.ts') ? [root] : globSync(`${root}/**/*.test.ts`),
);
const chosen = roots.length > 0 ? files : files.filter((file) => !file.startsWith(LONG_PROOFS));
if (chosen.length === 0) {
  console.error(`no tests in ${roots.join(', ')}`);
  process.exit(1);
}
const result = spawnSync(process.execPath, ['--test', `--test-concurrency=${CONCURRENCY}`, ...chosen.sort()], {
  stdio: 'inherit',
});
process.exit(result.status ?? 1);
