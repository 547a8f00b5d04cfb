import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { progressText, tableText } from '../../cli/terminal.ts';

const launcher = join(import.meta.dirname, '..', '..', 'cli', 'tributary.js');

function start(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npx tributary', () => {
  test('says what it can do, and what was wrong', () => {
    const help = start('--help');
    assert.deepEqual([help.status, help.stdout.startsWith('npx tributary <command>')], [0, true]);
    const unknown = start('dance');
    assert.deepEqual([unknown.status, unknown.stdout], [2, '']);
    assert.match(unknown.stderr, /there is no command dance/);
    assert.equal(start('status', '--nonsense').status, 2);
    assert.equal(start('constructor').status, 2);
  });

  test('ends without a word when nobody reads on', async () => {
    for (const [args, unread] of [
      [['--help'], 'stdout'],
      [['dance'], 'stderr'],
    ] as const) {
      const child = spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      child[unread].destroy();
      const read = text(unread === 'stdout' ? child.stderr : child.stdout);
      const [code] = await once(child, 'close');
      assert.deepEqual([args, code, await read], [args, 141, '']);
    }
  });
});

describe('the terminal', () => {
  test('shows progress as a bar, or as a count where nobody knows the end', () => {
    assert.equal(progressText('load', 600, 1_000), 'load  ██████████████████░░░░░░░░░░░░ 60 %  600 of 1,000');
    assert.equal(progressText('send', 1_234, null), 'send  1,234');
  });

  test('sets columns side by side, numbers to the right', () => {
    const table = tableText(
      ['name', 'count'],
      [
        ['a', 5],
        ['long name', 12_345],
      ],
    );
    assert.equal(table, 'name        count\na               5\nlong name  12,345');
  });
});
