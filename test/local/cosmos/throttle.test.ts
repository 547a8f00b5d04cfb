import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CosmosError } from '../../../local/cosmos/errors.ts';
import { Throttle } from '../../../local/cosmos/throttle.ts';

function waitOf(throttle: Throttle): number | undefined {
  try {
    throttle.admit();
    return 0;
  } catch (error) {
    assert.ok(error instanceof CosmosError && error.status === 429);
    return error.retryAfterMs;
  }
}

test('an overdrawn budget refuses until it has filled up again, and says when that is', () => {
  let nowMs = 0;
  const throttle = new Throttle(100, () => nowMs);
  assert.equal(waitOf(throttle), 0);
  throttle.charge(150);
  assert.equal(waitOf(throttle), 501);
  nowMs = 400;
  assert.equal(waitOf(throttle), 101);
  nowMs = 501;
  assert.equal(waitOf(throttle), 0);
});

test('a budget holds one second and no more', () => {
  let nowMs = 0;
  const throttle = new Throttle(100, () => nowMs);
  nowMs = 60_000;
  throttle.admit();
  throttle.charge(100);
  assert.notEqual(waitOf(throttle), 0);
});
