import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../../local/cosmos/json.ts';
import { executeWhole } from '../../../../local/cosmos/sql/execute.ts';
import { parseQuery } from '../../../../local/cosmos/sql/parser.ts';
import { prepareQuery } from '../../../../local/cosmos/sql/prepare.ts';

/** Evaluates an expression over one document; `undefined` where it has no value. */
function evaluate(expression: string, document: Json = {}): Json | undefined {
  const query = prepareQuery(parseQuery(`SELECT VALUE ${expression} FROM c`), new Map(), []);
  const candidate = { sequence: 1, text: () => JSON.stringify(document), value: () => document };
  const [text] = executeWhole(query, { scan: () => [candidate], count: () => 1 });
  return text === undefined ? undefined : JSON.parse(text);
}

const VALUES: readonly (readonly [expression: string, value: Json | undefined])[] = [
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 2 - 3', 5],
  ['2 * -3', -6],
  ['7 % 4', 3],
  ['1 / 0', undefined],
  ["1 + '1'", undefined],
  ["'a' || 'b' || 'c'", 'abc'],
  ["'a' || 1", undefined],
  ['0x1F', 31],
  ['1.5e2', 150],

  ['true AND undefined', undefined],
  ['false AND undefined', false],
  ['undefined AND false', false],
  ['true OR undefined', true],
  ['undefined OR false', undefined],
  ['NOT undefined', undefined],
  ['NOT 1', undefined],
  ['NOT true = false', true],
  ['true OR true AND false', true],

  ['undefined = undefined', undefined],
  ['null = null', true],
  ['null != 1', true],
  ["1 = '1'", false],
  ["1 < '1'", undefined],
  ['null < 1', undefined],
  ['false < true', true],
  ["'a' < 'b'", true],
  ["'\\uFFFD' < '\\uD83D\\uDC0E'", true],
  ['[1, {a: [2]}] = [1, {a: [2]}]', true],
  ['{a: 1, b: 2} = {b: 2, a: 1}', true],
  ['[1] < [2]', undefined],
  ['1 <> 2', true],

  ['undefined ?? null ?? 1', null],
  ['1 = 1 ? undefined : 2', undefined],
  ['1 IN (2, 1 + 0)', true],
  ['undefined IN (1)', undefined],
  ['[1] IN ([1], 2)', true],
  ['5 BETWEEN 1 AND 5 AND true', true],
  ["'b' BETWEEN 'a' AND 'c'", true],
  ["5 BETWEEN 'a' AND 9", undefined],

  ['[1, undefined, 3]', [1, 3]],
  ['{a: undefined, b: 1}', { b: 1 }],
  ['[10, 20][1]', 20],
  ['[10, 20][2]', undefined],
  ["{a: 1}['a']", 1],
  ["'text'[0]", undefined],

  ["SUBSTRING('hello', 1, 3)", 'ell'],
  ["INDEX_OF('hello', 'l')", 2],
  ["LEFT('hello', 2) || RIGHT('hello', 2)", 'helo'],
  ["REPLACE('a.b.c', '.', '$&')", 'a$&b$&c'],
  ["CONCAT('a', 'b', 'c')", 'abc'],
  ["CONCAT('a', 1)", undefined],
  ["TRIM('  a ')", 'a'],
  ["REVERSE('abc')", 'cba'],
  ['TOSTRING(1.5)', '1.5'],
  ["STRINGTONUMBER('1e3')", 1000],
  ["STRINGEQUALS('A', 'a', true)", true],
  ['ABS(-2) + FLOOR(1.9) + CEILING(1.1) + ROUND(-0.5)', 4],
  ['ARRAY_SLICE([1, 2, 3], 1)', [2, 3]],
  ['ARRAY_CONCAT([1], [2, 3])', [1, 2, 3]],
  ['IS_INTEGER(1.5)', false],
  ['IS_PRIMITIVE([])', false],
  ['LENGTH(1)', undefined],
];

for (const [expression, value] of VALUES) {
  test(`${expression} is ${JSON.stringify(value) ?? 'undefined'}`, () => {
    assert.deepEqual(evaluate(expression), value);
  });
}

test('inherited properties are no properties', () => {
  assert.deepEqual(evaluate('[c.toString, c.__proto__, c.constructor]', { a: 1 }), []);
});
