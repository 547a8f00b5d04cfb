import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileLike } from '../../../../local/cosmos/sql/like.ts';

const CASES: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
  ['', '', true],
  ['', 'a', false],
  ['%', '', true],
  ['abc', 'abc', true],
  ['abc', 'ABC', false],
  ['a%c', 'abbbc', true],
  ['a%c', 'ac', true],
  ['%b%', 'abc', true],
  ['a_c', 'a\u{1F40E}c', true],
  ['a_c', 'ac', false],
  ['%ab', 'aab', true],
  ['%a%b', 'xaxbxb', true],
  ['[a-c]x', 'bx', true],
  ['[a-c]x', 'dx', false],
  ['[^a-c]x', 'dx', true],
  ['[a-]', '-', true],
  ['[.]', 'x', false],
  ['.*', 'ab', false],
  ['100!%', '100%', true],
  ['100!%', '1000', false],
  ['a%', 'a\nb', true],
];

for (const [pattern, text, matches] of CASES) {
  test(`'${text}' is ${matches ? '' : 'not '}LIKE '${pattern}'`, () => {
    assert.equal(compileLike(pattern, '!')(text), matches);
  });
}

test('a pattern of many percent signs takes no unreasonable time', () => {
  const startedAt = performance.now();
  assert.equal(compileLike(`${'%a'.repeat(50)}b`, undefined)('a'.repeat(5000)), false);
  assert.ok(performance.now() - startedAt < 2000);
});
