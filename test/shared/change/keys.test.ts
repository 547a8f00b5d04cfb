import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { changeId, rowId, unkeyedKey } from '../../../shared/change/keys.ts';

const part = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({
    unit: fc.constantFrom('%', ',', '.', '/', 'n', 'u', 'l', '2', 'C', ' ', '\ud83d', '\ude00'),
    maxLength: 8,
  }),
  fc.string({ minLength: 190, maxLength: 230 }),
);
const parts = fc.array(part, { minLength: 1, maxLength: 4 });

describe('row ids', () => {
  test('two different keys never share an id', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        assert.equal(rowId(a) === rowId(b), JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 5000 },
    );
  });

  test('every id is one that the service takes and that a URL carries unchanged', () => {
    fc.assert(
      fc.property(parts, (key) => {
        const id = rowId(key);
        assert.ok(id.length >= 1 && Buffer.byteLength(id) <= 1023, id);
        assert.doesNotMatch(id, /[/\\#?\p{Cc}]|^ | $|^\.{1,2}$/u);
        assert.equal(new URL(`http://h/docs/${encodeURIComponent(id)}`).pathname, `/docs/${encodeURIComponent(id)}`);
      }),
      { numRuns: 3000 },
    );
  });

  test('plain keys stay readable', () => {
    const readable: [(string | null)[], string][] = [
      [['8'], '8'],
      [['8', 'DK'], '8,DK'],
      [['a,b'], 'a%2Cb'],
      [['a/b\\c#d?e%f'], 'a%2Fb%5Cc%23d%3Fe%25f'],
      [['New York'], 'New York'],
      [[' x '], '%20x%20'],
      [['.'], '%2E'],
      [['..'], '%2E%2E'],
      [['...'], '...'],
      [[''], '%empty'],
      [[null, 'null'], '%null,null'],
      [['Zoë 😀'], 'Zoë 😀'],
    ];
    for (const [key, id] of readable) assert.equal(rowId(key), id);
  });

  test('a long key becomes a hash of fixed length', () => {
    assert.match(rowId(['x'.repeat(201)]), /^%hash[0-9a-f]{64}$/);
    assert.equal(rowId(['x'.repeat(200)]), 'x'.repeat(200));
  });
});

test('a change without a row spreads over 256 keys by its identity', () => {
  const keys = new Set(Array.from({ length: 5000 }, (_, n) => unkeyedKey(`identity ${n}`)));
  assert.equal(keys.size, 256);
  for (const key of keys) assert.match(key, /^-[0-9a-f]{2}$/);
});

test('a change id holds only characters that every id may have', () => {
  assert.match(changeId('ces/0/x:y'), /^[A-Za-z0-9_-]{43}$/);
});
