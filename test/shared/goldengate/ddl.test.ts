import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const ddl = (pos: string, said: object) => ({
  op_type: 'DDL',
  op_ts: '2026-01-01T00:00:01Z',
  xid: '0.1.3',
  pos,
  ...said,
});
const STATEMENT = 'ALTER TABLE T ADD B NUMBER';

/** The tables that a statement changed, by the catalog and by the changes, without what their names start with. */
async function tablesOf(record: object) {
  const { stream, post, of } = await newStreamOn(store);
  const counts = await post(record);
  const nameOf = (each: Record<string, unknown>) => String(each.table).replace(`goldengate/${stream}/`, '');
  const stale = (await of('catalog')).filter((each) => each.stale).map(nameOf);
  return { counts, stale, changes: (await of('changes')).map((each) => [each.op, nameOf(each)]) };
}

function changed(name: string) {
  return { counts: { applied: 1 }, stale: [name], changes: [['ddl', name]] };
}

describe('a statement', () => {
  test('is about the table that its object names, in two or three parts', async () => {
    const of = (object: object) => tablesOf(ddl('G-1', { ddl: { object, statement: STATEMENT } }));
    assert.deepEqual(await of({ catalog: 'CAT', schema: 'S', object: 'T' }), changed('CAT.S.T'));
    assert.deepEqual(await of({ catalog: '', schema: 'S', object: 'T' }), changed('S.T'));
    assert.deepEqual(await of({ catalog: null, schema: 'S', object: 'T' }), changed('S.T'));
    assert.deepEqual(await of({ object: 'T' }), changed('T'));
  });

  test('is about the table that its record names, where it has no object', async () => {
    for (const said of [{ qual_table: 'S.T' }, { table: 'S.T' }]) {
      assert.deepEqual(await tablesOf(ddl('G-1', { ...said, ddl: { statement: STATEMENT } })), changed('S.T'));
      assert.deepEqual(await tablesOf(ddl('G-1', { ...said, ddl: { object: null } })), changed('S.T'));
    }
  });

  test('about no table is a dead letter', async () => {
    const nothing = { deadLettered: 1, reasons: [[0, 'invalid-envelope']] };
    for (const said of [
      { ddl: { statement: STATEMENT } },
      { ddl: { object: { catalog: '', schema: '', object: '' } } },
    ]) {
      assert.deepEqual(await tablesOf(ddl('G-1', said)), { counts: nothing, stale: [], changes: [] });
    }
  });

  test('about a table of a three-part name makes just its metadata stale', async () => {
    const { post, of } = await newStreamOn(store);
    const object = { catalog: 'CAT', schema: 'S', object: 'T' };
    await post([METADATA, { ...METADATA, qual_table: 'CAT.S.T' }, ddl('G-1', { ddl: { object } })]);
    const stale = (await of('catalog')).map(({ table, stale }) => [String(table).split('/')[2], stale]);
    assert.deepEqual(stale, [
      ['CAT.S.T', true],
      ['S.T', false],
    ]);
    // The key that was known goes on to be used.
    const sent = { ...record('INSERT', 2, { after: { ID: 1 } }), qual_table: 'CAT.S.T' };
    assert.deepEqual(await post(sent), { applied: 1 });
  });
});
