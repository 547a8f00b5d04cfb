import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCharge, writeCharge } from '../../../local/cosmos/requestUnits.ts';

const KIB_BYTES = 1024;

test('charges at the sizes of the published table are those of the table', () => {
  const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 1024];
  assert.deepEqual(
    sizes.map((kib) => readCharge(kib * KIB_BYTES)),
    [1, 1.04, 1.14, 1.33, 1.67, 2.19, 4.76, 9.95, 145.9],
  );
  assert.deepEqual(
    sizes.map((kib) => writeCharge(kib * KIB_BYTES)),
    [4.95, 6.29, 6.67, 7.04, 9.52, 11.23, 22.67, 48.19, 625],
  );
});

test('charges between two sizes lie between theirs, and go on above the last', () => {
  assert.equal(readCharge(1), 1);
  assert.equal(writeCharge(1.5 * KIB_BYTES), 5.62);
  assert.equal(readCharge(2048 * KIB_BYTES), 301.27);
});
