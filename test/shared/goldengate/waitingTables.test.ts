import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WaitingTables } from '../../../shared/goldengate/waitingTables.ts';

describe('the tables of which records may wait', () => {
  test('are replayed one after another each, and side by side', async () => {
    const tables = new WaitingTables([]);
    const log: string[] = [];
    const replay = (table: string, name: string) =>
      tables.release(table, async () => {
        log.push(`${name} begins`);
        await delay(5);
        log.push(`${name} ends`);
      });
    await Promise.all([replay('a', 'a1'), replay('a', 'a2'), replay('b', 'b1'), replay('a', 'a3')]);
    assert.deepEqual(
      log.filter((each) => each.startsWith('a')),
      ['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends', 'a3 begins', 'a3 ends'],
    );
    assert.ok(log.indexOf('b1 begins') < log.indexOf('a1 ends'));
  });

  test('are replayed by the next when a replay fails, which hears of it alone', async () => {
    const tables = new WaitingTables([]);
    const results = await Promise.allSettled([
      tables.release('a', async () => {
        throw new Error('away');
      }),
      tables.release('a', () => delay(1)),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
  });

  test('are unreleased, where the settings name their key, until a replay has succeeded', async () => {
    const tables = new WaitingTables(['a', 'b']);
    const unreleased = () => [...tables.unreleased(['x', 'a', 'b', 'a'])];
    assert.deepEqual(unreleased(), ['a', 'b']);
    await assert.rejects(
      tables.release('a', async () => {
        throw new Error('away');
      }),
    );
    assert.deepEqual(unreleased(), ['a', 'b']);
    await tables.release('a', async () => undefined);
    assert.deepEqual(unreleased(), ['b']);
    await tables.release('b', async () => undefined);
    assert.deepEqual(unreleased(), []);
    assert.deepEqual(
      ['a', 'x'].map((table) => tables.isConfigured(table)),
      [true, false],
    );
  });
});
