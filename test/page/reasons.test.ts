import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REASONS } from '../../page/reasons.ts';
import { DEAD_LETTER_REASONS } from '../../shared/ingest/reasons.ts';

test('the page lets one choose among the reasons that there are', () => {
  assert.deepEqual(REASONS, Object.keys(DEAD_LETTER_REASONS));
});
