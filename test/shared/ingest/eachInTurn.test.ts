import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eachInTurn } from '../../../shared/ingest/eachInTurn.ts';

/** Does `work` for 1 to 5; those in `failing` fail. What was done, and what was thrown. */
async function done(failing: readonly number[], until = Number.POSITIVE_INFINITY) {
  const seen: number[] = [];
  const work = async (item: number) => {
    seen.push(item);
    if (failing.includes(item)) throw new RangeError(`no ${item}`);
  };
  const error = await eachInTurn([1, 2, 3, 4, 5], work, () => seen.length >= until).then(
    () => undefined,
    (thrown: Error) => `${thrown.name}: ${thrown.message}`,
  );
  return [seen, error];
}

describe('one after another', () => {
  test('all have their turn, whichever of them fail, and what failed is thrown at the end', async () => {
    assert.deepEqual(await done([]), [[1, 2, 3, 4, 5], undefined]);
    assert.deepEqual(await done([1]), [[1, 2, 3, 4, 5], 'RangeError: no 1']);
    assert.deepEqual(await done([2, 5]), [[1, 2, 3, 4, 5], 'AggregateError: no 2; no 5']);
  });

  test('none begins when the time is up, and what failed before is thrown', async () => {
    assert.deepEqual(await done([], 2), [[1, 2], undefined]);
    assert.deepEqual(await done([1], 2), [[1, 2], 'RangeError: no 1']);
  });
});
