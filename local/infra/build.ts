import '../requireNode24.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bicep, findOrFetchBicep } from './bicep.ts';

/** `npm run infra`: compiles and lints every file in infra/. Any warning fails it. */
const ROOT = join(import.meta.dirname, '..', '..');

const bicep = await findOrFetchBicep();
if (bicep === undefined) {
  console.log('skipped: bicep build, bicep lint (there is no Bicep compiler here, and none could be fetched)');
  process.exit(0);
}
console.log((await bicep.run('--version')).output.trim());
const scratch = await mkdtemp(join(tmpdir(), 'tributary-infra-'));
try {
  const files = `${join(ROOT, 'infra')}/**/*.bicep`;
  const parameters = join(ROOT, 'infra', 'main.bicepparam');
  await expectSilence(bicep, 'build', '--pattern', files, '--outdir', scratch);
  await expectSilence(bicep, 'build-params', parameters, '--outfile', join(scratch, 'main.parameters.json'));
  await expectSilence(bicep, 'lint', '--pattern', files);
  await expectSilence(bicep, 'lint', parameters);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** The compiler prints nothing where all is well, and ends with 0 in spite of warnings. */
async function expectSilence(compiler: Bicep, ...command: readonly string[]): Promise<void> {
  const { code, output } = await compiler.run(...command);
  const isClean = code === 0 && output.trim() === '';
  console.log(`${isClean ? 'clean' : 'NOT clean'}: bicep ${command.join(' ')}${isClean ? '' : `\n${output}`}`);
  if (!isClean) process.exitCode = 1;
}
