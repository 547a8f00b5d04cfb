import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { canonicalDecimal, exactNumber, parseExactJson, sameDecimal } from '../../../shared/change/exact.ts';

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 40 });
/** Number texts as JSON allows them. */
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 38n }),
    fc.option(digits),
    fc.option(fc.integer({ min: -400, max: 400 })),
  )
  .map(
    ([sign, integer, fraction, exponent]) =>
      `${sign}${integer}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
  );

describe('exact numbers', () => {
  test('a number is kept as a number only if it prints the same decimal value, else as its own text', () => {
    fc.assert(
      fc.property(numberText, (text) => {
        const value = exactNumber(text);
        if (typeof value === 'number') assert.ok(sameDecimal(String(value), text), text);
        else assert.equal(value, text);
      }),
      { numRuns: 5000 },
    );
  });

  test('every double comes back as the number it is', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        assert.equal(exactNumber(String(number)), Object.is(number, -0) ? 0 : number);
      }),
      { numRuns: 5000 },
    );
  });

  test('examples', () => {
    const examples: [string, number | string][] = [
      ['125.50', 125.5],
      ['9007199254740993', '9007199254740993'],
      ['9007199254740992', 9007199254740992],
      ['0.1', 0.1],
      ['-0', -0],
      ['1e400', '1e400'],
      ['5e-324', 5e-324],
      ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
      ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
      ['17520.00', 17520],
    ];
    for (const [text, value] of examples) assert.equal(exactNumber(text), value, text);
  });
});

describe('parseExactJson', () => {
  test('equals JSON.parse but for numbers that JSON.parse would change', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        assert.deepEqual(parseExactJson(text), JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(numberText, fc.string(), (number, string) => {
        const text = `{"n":[${number}],"s":${JSON.stringify(string)},"__proto__":${number}}`;
        const expected = exactNumber(number);
        assert.deepEqual(Object.entries(parseExactJson(text) as object), [
          ['n', [expected]],
          ['s', string],
          ['__proto__', expected],
        ]);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('canonicalDecimal', () => {
  test('gives equal values one text and different values different texts', () => {
    fc.assert(
      fc.property(numberText, numberText, (a, b) => {
        assert.equal(canonicalDecimal(a) === canonicalDecimal(b), sameDecimal(a, b));
      }),
    );
    fc.assert(
      fc.property(fc.bigInt(), fc.nat({ max: 5 }), (integer, zeros) => {
        const spelled = `${integer < 0n ? '-' : '+'}${'0'.repeat(zeros)}${integer < 0n ? -integer : integer}.${'0'.repeat(zeros)}`;
        assert.equal(canonicalDecimal(spelled), String(integer));
      }),
    );
  });

  test('examples', () => {
    const examples: [string, string | undefined][] = [
      ['600', '600'],
      ['0600', '600'],
      ['8.50', '8.5'],
      ['.05', '0.05'],
      ['5.', '5'],
      ['1e3', '1000'],
      ['-0.00', '0'],
      ['', undefined],
      ['.', undefined],
      ['1e', undefined],
      ['0x10', undefined],
      [' 5', undefined],
      ['1e99999999', undefined],
    ];
    for (const [text, canonical] of examples) assert.equal(canonicalDecimal(text), canonical, text);
  });
});
