import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PAGE_MODULE, pageModule } from '../../local/buildPage.ts';

const ROOT = join(import.meta.dirname, '..', '..');

describe('the page', () => {
  test('that the app serves is the one in page/: else run node local/buildPage.ts', async () => {
    assert.equal(await readFile(PAGE_MODULE, 'utf8'), await pageModule());
  });

  test('is sound by the types of browsers', () => {
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', 'page'], { cwd: ROOT, encoding: 'utf8' });
    assert.deepEqual({ status, stdout }, { status: 0, stdout: '' });
  });
});
