import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RateMeter } from '../../page/rates.ts';
import { status } from './fixtureData.ts';

const START = Date.parse('2026-08-07T16:00:00Z');

/** An answer `seconds` after the start, with so many events received and applied by then. */
function answer(seconds: number, received: number, applied: number) {
  const [stream] = status(0, 0).streams;
  assert.ok(stream !== undefined);
  return { generatedAt: new Date(START + seconds * 1000).toISOString(), streams: [{ ...stream, received, applied }] };
}

describe('rates', () => {
  test('are there from the second answer on', () => {
    const meter = new RateMeter();
    assert.deepEqual(meter.add(answer(0, 1_000, 900)).get('ces/sales'), { received: 0, applied: 0 });
    assert.deepEqual(meter.add(answer(2, 1_020, 910)).get('ces/sales'), { received: 10, applied: 5 });
  });

  test('are an average over the last ten seconds, and forget what was before', () => {
    const meter = new RateMeter();
    for (let second = 0; second <= 20; second += 2) meter.add(answer(second, second * 100, 0));
    for (let second = 22; second < 30; second += 2) meter.add(answer(second, 2_000, 0));
    assert.deepEqual(meter.add(answer(30, 2_000, 0)).get('ces/sales'), { received: 0, applied: 0 });
  });

  test('are never negative: a counter whose document expired starts again', () => {
    const meter = new RateMeter();
    meter.add(answer(0, 1_000, 900));
    assert.deepEqual(meter.add(answer(2, 4, 4)).get('ces/sales'), { received: 0, applied: 0 });
  });

  test('ignore an answer that comes twice', () => {
    const meter = new RateMeter();
    meter.add(answer(0, 0, 0));
    meter.add(answer(2, 20, 20));
    assert.deepEqual(meter.add(answer(2, 20, 20)).get('ces/sales'), { received: 10, applied: 10 });
  });

  test('of a stream that is new are zero, and start anew after a pause', () => {
    const meter = new RateMeter();
    meter.add({ generatedAt: new Date(START).toISOString(), streams: [] });
    assert.deepEqual(meter.add(answer(2, 50, 50)).get('ces/sales'), { received: 0, applied: 0 });
    meter.reset();
    assert.deepEqual(meter.add(answer(600, 9_000, 9_000)).get('ces/sales'), { received: 0, applied: 0 });
  });
});
