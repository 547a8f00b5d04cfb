import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rowKeyOf, type TableColumns, tableColumns, typedValue } from '../../cli/extract/columnTypes.ts';
import { LOWEST_POSITION, snapshotOf } from '../../cli/extract/snapshot.ts';
import type { JsonValue } from '../../shared/change/json.ts';
import { arrivalText, arrivalToken } from '../../shared/ingest/arrivalToken.ts';

const NOBODY_KNOWS = { read: async () => undefined, write: async () => 'written' as const };

/** The id of a row whose key columns stand in an extract as these texts. */
async function idOf(table: string, types: string, row: { readonly [column: string]: string | null }): Promise<string> {
  const columns: TableColumns = await tableColumns(NOBODY_KNOWS, table, types);
  const typed = Object.entries(row).map(([column, value]): [string, JsonValue] => {
    return [column, typedValue(columns, column, value) ?? value];
  });
  return rowKeyOf(columns, Object.keys(row), new Map(typed)).key;
}

describe('the id of a row of an extract', () => {
  test('is the one that its stream makes of the key, by the source and the types of the columns', async () => {
    assert.equal(await idOf('ces/s/D.dbo.T', 'A=decimal(10,2),B=nvarchar(9)', { A: '007.50', B: 'a/b' }), '7.5,a%2Fb');
    assert.equal(await idOf('ces/s/D.dbo.T', 'A=varchar(9)', { A: '007.50' }), '007.50');
    assert.equal(await idOf('goldengate/s/S.T', 'A=number,B=string', { A: '600', B: '600' }), '600,600');
    assert.equal(await idOf('goldengate/s/S.T', 'A=number', { A: '12345678901234567890' }), '12345678901234567890');
    assert.equal(await idOf('qlik/s/hr.t', 'A=NUMERIC,B=INT4', { A: '12.50', B: '7' }), '12.5,7');
    assert.equal(await idOf('qlik/s/hr.t', 'A=STRING', { A: null }), '%null');
  });
});

describe('a row of an extract', () => {
  test('is a full image older than every change of every source', async () => {
    const columns = await tableColumns(NOBODY_KNOWS, 'ces/s/D.dbo.T', 'Id=int');
    const facts = { table: 'ces/s/D.dbo.T', columns, key: ['Id'], position: LOWEST_POSITION, takenAt: 'now' };
    const { token, image, op, keys } = snapshotOf(facts, new Map([['Id', '7']]));
    assert.deepEqual([image, op, keys], ['full', 'snapshot', { Id: 7 }]);
    const others = [
      '0000:00000000000000000000:00000000000000000000:0',
      arrivalToken({ prefix: '', rank: 'partial' }, arrivalText(0, 0)),
      arrivalToken({ prefix: '1970-01-01T00:00:00.000000000', rank: 'partial' }, arrivalText(0, 0)),
      `${'0'.repeat(35)}:0`,
    ];
    assert.deepEqual(
      others.filter((other) => other <= token),
      [],
    );
  });
});
