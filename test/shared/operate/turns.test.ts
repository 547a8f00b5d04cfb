import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Turns } from '../../../shared/operate/turns.ts';
import { StoreUnavailableError } from '../../../shared/store/errors.ts';

describe('turns', () => {
  test('come one after another in a stream, and side by side in several', async () => {
    const turns = new Turns();
    const seen: string[] = [];
    const work = (stream: string, name: string, ms: number) =>
      turns.take(stream, async () => {
        seen.push(`${name} begins`);
        await delay(ms);
        seen.push(`${name} ends`);
        return name;
      });
    const results = await Promise.all([work('s', 's1', 20), work('s', 's2', 1), work('t', 't1', 1)]);
    assert.deepEqual(results, ['s1', 's2', 't1']);
    assert.deepEqual(seen, ['s1 begins', 't1 begins', 't1 ends', 's1 ends', 's2 begins', 's2 ends']);
  });

  test('go on after a fault, and not after a failure of the store', async () => {
    const turns = new Turns();
    const failing = (error: Error) => turns.take('s', () => Promise.reject(error));
    await assert.rejects(failing(new TypeError('a fault')), { name: 'TypeError' });
    assert.equal(await turns.take('s', async () => 'done'), 'done');
    await assert.rejects(failing(new StoreUnavailableError('down')), { name: 'StoreUnavailableError' });
    await assert.rejects(
      turns.take('s', async () => assert.fail('this must not be done')),
      { name: 'StoreUnavailableError' },
    );
    assert.equal(await turns.take('t', async () => 'done'), 'done');
  });
});
