import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TableColumns } from '../../cli/extract/columnTypes.ts';
import { typedValue } from '../../cli/extract/columnTypes.ts';
import { differenceOf } from '../../cli/extract/compare.ts';
import type { JsonValue } from '../../shared/change/json.ts';

describe('a value of an extract', () => {
  const cases: readonly [sent: JsonValue, actual: JsonValue | undefined, difference: string | undefined][] = [
    ['8', 8, undefined],
    ['8.50', 8.5, undefined],
    ['8.50', '8.50', undefined],
    ['8.50', '8.5', 'precision'],
    ['8.4999', '8.5', 'precision'],
    ['8.4999', '8.6', 'value'],
    ['-1.999', '-2', 'precision'],
    ['12345678901234567890', '12345678901234567890', undefined],
    ['12345678901234567890', '12345678901234567891', 'value'],
    ['2026-08-07T16:25:00.8833333', '2026-08-07T16:25:00.8833333', undefined],
    ['2026-08-07T16:25:00.8833333', '2026-08-07T16:25:00.883', 'precision'],
    ['2026-08-07T16:25:00.8833333', '2026-08-07T16:25:01.883', 'value'],
    ['true', true, undefined],
    ['0', false, undefined],
    ['0', true, 'value'],
    [null, null, undefined],
    [null, '', 'value'],
    ['', '', undefined],
    ['x', undefined, 'absent'],
    ['{"b":1,"a":[2]}', { a: [2], b: 1 }, undefined],
    ['a ', 'a', 'value'],
    ['long', { $blob: 'x', bytes: 4, sha256: '', encoding: 'utf-16le' }, 'value'],
    ['{"sha256":"","$blob":"x"}', { $blob: 'x', sha256: '' }, undefined],
  ];
  for (const [sent, actual, difference] of cases) {
    test(`${JSON.stringify(sent)} beside ${JSON.stringify(actual)}: ${difference ?? 'equal'}`, () => {
      assert.equal(differenceOf(sent, undefined, actual), difference);
    });
  }

  test('that moved to Blob Storage is known by its hash', async () => {
    const { createHash } = await import('node:crypto');
    const sha256 = createHash('sha256').update('long text').digest('hex');
    const pointer = { $blob: sha256, bytes: 9, sha256 };
    assert.equal(differenceOf('long text', undefined, pointer), undefined);
    assert.equal(differenceOf('long test', undefined, pointer), 'value');
  });

  test('means what its declared type makes of it', () => {
    const table: TableColumns = {
      source: 'ces',
      stream: 's',
      key: [],
      types: new Map([
        ['at', 'datetime2(7)'],
        ['id', 'bigint'],
        ['flag', 'bit'],
        ['guid', 'uniqueidentifier'],
      ]),
    };
    const typed = (column: string, value: JsonValue) => typedValue(table, column, value);
    assert.equal(typed('at', '2026-08-07 16:25:00.8833333'), '2026-08-07T16:25:00.8833333');
    assert.equal(typed('id', '7'), '7');
    assert.equal(typed('flag', '1'), true);
    assert.equal(typed('guid', 'ABCDEF00-0000-0000-0000-000000000000'), 'abcdef00-0000-0000-0000-000000000000');
    assert.equal(typed('unknown', '7'), undefined);
  });
});
