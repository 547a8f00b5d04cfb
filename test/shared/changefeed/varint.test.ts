import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readVarint, varintOf } from '../../../shared/changefeed/varint.ts';

describe('varints', () => {
  test('padded to ten bytes, as the service writes them, are read', () => {
    assert.deepEqual(readVarint(Buffer.from('e4818080808080808000', 'hex'), 0), { value: 114, end: 10 });
  });

  test('are read as they were written, and not before their last byte is there', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 31 }), (value) => {
        const bytes = varintOf(value);
        assert.deepEqual(readVarint(bytes, 0), { value, end: bytes.length });
        assert.equal(readVarint(bytes.subarray(0, -1), 0), undefined);
      }),
    );
  });

  test('can be negative', () => {
    assert.deepEqual(readVarint(Buffer.from([0x03]), 0), { value: -2, end: 1 });
  });

  test('that do not end or do not fit are refused', () => {
    assert.throws(() => readVarint(Buffer.alloc(11, 0x80), 0), RangeError);
    assert.throws(() => readVarint(Buffer.from('ffffffffffffffff7f', 'hex'), 0), RangeError);
  });
});
