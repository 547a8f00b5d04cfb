import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isMarked, markedOrdinals, readMask, reversedBytes } from '../../../shared/qlik/masks.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Two readings that the documentation's "little-endian" suggests, and that a real message refutes. */
const bytesReversed = (mask: string) => markedOrdinals(reversedBytes(mask) ?? '');
const nibblesReversed = (mask: string) => markedOrdinals([...mask].reverse().join(''));

describe('a mask', () => {
  const CASES: readonly [string, readonly number[]][] = [
    ['0B', [1, 2, 4]],
    ['000B', [1, 2, 4]],
    ['b', [1, 2, 4]],
    ['00B', [1, 2, 4]],
    ['010B', [1, 2, 4, 9]],
    ['00', []],
    ['02', [2]],
    ['07', [1, 2, 3]],
    ['0F', [1, 2, 3, 4]],
    ['05', [1, 3]],
    ['008080', [8, 16]],
    ['00FFFF', range(1, 16)],
    ['01FFFFFFFFFFFFFFFFFF', range(1, 73)],
  ];
  for (const [mask, ordinals] of CASES) {
    test(`${mask} marks the columns ${ordinals.join(', ') || 'of nothing'}`, () => {
      assert.deepEqual(markedOrdinals(mask), ordinals);
    });
  }

  test('of a real message with 16 columns, of which the 8th and the 16th changed, fits one reading of three', () => {
    const readings = { number: markedOrdinals, bytesReversed, nibblesReversed };
    const found = Object.entries(readings).map(([name, read]) => [name, read('008080'), read('00FFFF')]);
    assert.deepEqual(found, [
      ['number', [8, 16], range(1, 16)],
      ['bytesReversed', [16, 24], range(9, 24)],
      ['nibblesReversed', [12, 20], range(9, 24)],
    ]);
  });

  test('is the same with any number of leading zeros, and in lower case', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 70n }), fc.nat(9), (mask, zeros) => {
        const hex = mask.toString(16);
        const expected = range(1, 71).filter((ordinal) => ((mask >> BigInt(ordinal - 1)) & 1n) === 1n);
        assert.deepEqual(markedOrdinals('0'.repeat(zeros) + hex), expected);
        assert.deepEqual(markedOrdinals(hex.toUpperCase()), expected);
      }),
    );
  });

  test('says nothing of columns beyond its digits', () => {
    assert.deepEqual(
      [1, 4, 5, 8, 9, 1000].map((ordinal) => isMarked('F', ordinal)),
      [true, true, false, false, false, false],
    );
  });

  test('is hexadecimal digits, and nothing else is', () => {
    const sent = ['0b', '', null, undefined, 11, '0x0B', '0G', ' 0B', true, {}];
    assert.deepEqual(sent.map(readMask), ['0b', ...new Array(sent.length - 1).fill(undefined)]);
  });
});
