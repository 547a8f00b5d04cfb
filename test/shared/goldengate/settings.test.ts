import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { GoldenGateStream } from '../../../shared/config.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { classic, METADATA, record, SCHEMA, STREAM } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const newStream = (settings?: Partial<GoldenGateStream>) => newStreamOn(store, settings);

describe('a stream with settings', () => {
  test('may call its fields and operations what it likes', async () => {
    const { post, rows } = await newStream({
      fields: { op_type: 'op', qual_table: 'tbl', op_ts: 'when', pos: 'place', before: 'old', after: 'new', xid: 'tx' },
      operations: { NEW: 'insert', GONE: 'delete', '': 'upsert' },
      keys: { 'S.T': ['ID'] },
    });
    const base = { tbl: 'S.T', when: '2026-01-01T00:00:01Z', tx: '1' };
    const frame = [
      { ...base, op: 'NEW', place: 'p1', new: { ID: 1, pos: 'a column' } },
      { ...base, op: 'NEW', place: 'p2', new: { ID: 2 } },
      { ...base, place: 'p3', old: {}, new: { ID: 2, A: 'a' } },
      { ...base, op: 'GONE', place: 'p4', old: { ID: 1 } },
    ];
    assert.deepEqual(await post(frame), { applied: 4 });
    assert.deepEqual(await rows(), { 1: 'deleted', 2: { ID: 2, A: 'a' } });
  });

  test('may keep the default names in its metadata', async () => {
    const fields = { op_type: 'op', qual_table: 'tbl', table: 'tab', op_ts: 'when', pos: 'place', after: 'new' };
    for (const renamed of [fields, { op_type: 'op' }, { qual_table: 'tbl' }]) {
      const { post, rows } = await newStream({ fields: renamed });
      const name = (ours: keyof typeof fields) => (renamed as Partial<typeof fields>)[ours] ?? ours;
      const { op_type: op, qual_table: table, ...sent } = METADATA;
      const row = { [name('op_ts')]: '2026-01-01T00:00:01Z', [name('after')]: { ID: 1, A: 'a' } };
      assert.deepEqual(
        await post([
          SCHEMA,
          STREAM,
          METADATA,
          { ...sent, [name('op_type')]: op, [name('qual_table')]: table },
          { ...row, [name('op_type')]: 'INSERT', [name('qual_table')]: 'S.T', [name('pos')]: 'p1' },
        ]),
        { applied: 1, catalog: 4 },
      );
      assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a' } });
    }
  });

  test('may rename its tokens and statements too', async () => {
    const { post, of } = await newStream({ fields: { tokens: 'tk', ddl: 'stmt' } });
    const statement = { object: { schema: 'S', object: 'T' }, statement: 'ALTER TABLE T ADD C NUMBER' };
    const { tokens: _, ...insert } = classic('I', '1', { after: { ID: 1 } });
    assert.deepEqual(await post([{ ...insert, tk: { txid: 'T1' } }, record('DDL', 2, { stmt: statement })]), {
      applied: 2,
    });
    assert.deepEqual(
      (await of('changes')).map(({ op, transaction }) => [op, (transaction as { id: string }).id]).sort(),
      [
        ['ddl', '0.1.2'],
        ['insert', 'T1'],
      ],
    );
    assert.deepEqual(
      (await of('catalog')).map(({ table, stale }) => [String(table).split('/').at(-1), stale]),
      [['S.T', true]],
    );
  });

  test('may flatten its images, with any delimiter', async () => {
    for (const flattenDelimiter of ['.', '', '__']) {
      const { post, rows } = await newStream({ flattenDelimiter, keys: { 'S.T': ['ID'] } });
      const name = (image: string, column: string) => image + flattenDelimiter + column;
      await post([
        record('INSERT', 1, { [name('after', 'ID')]: 1, [name('after', 'A')]: 'a' }),
        record('UPDATE', 2, { [name('before', 'ID')]: 1, [name('after', 'ID')]: 2 }),
      ]);
      assert.deepEqual(await rows(), { 1: 'deleted', 2: { ID: 2, A: 'a' } });
    }
  });

  test('may leave nulls out', async () => {
    const { post, rows } = await newStream({ absent: 'null' });
    await post([
      METADATA,
      record('INSERT', 1, { after: { ID: 1, A: 'a' } }),
      record('UPDATE', 2, { before: { ID: 1, A: 'a', EXTRA: 1 }, after: { ID: 1, B: 'b' } }),
    ]);
    assert.deepEqual(await rows(), { 1: { ID: 1, A: null, B: 'b', EXTRA: null } });
  });

  test('that leaves nulls out leaves no key out: its columns are as they were', async () => {
    const { post, rows } = await newStream({ absent: 'null' });
    const columns = { ...METADATA.columns, K: { type: 'number', null: false, key: true } };
    await post([
      { ...METADATA, columns },
      record('INSERT', 1, { after: { ID: 1, K: 5, A: 'a' } }),
      record('UPDATE', 2, { before: { ID: 1, K: 5, A: 'a' }, after: { A: 'b' } }),
    ]);
    assert.deepEqual(await rows(), { '1,5': { ID: 1, K: 5, A: 'b', B: null } });
    await post(record('UPDATE', 3, { before: { ID: 1, K: 5, A: 'b' }, after: { K: 6, B: 'c' } }));
    assert.deepEqual(await rows(), { '1,5': 'deleted', '1,6': { ID: 1, K: 6, A: null, B: 'c' } });
  });

  test('may have times of a zone that it does not tell', async () => {
    const { post, of } = await newStream({ timeZone: 'Europe/Madrid' });
    await post([
      { ...classic('I', '1', { after: { ID: 1 } }), op_ts: '2026-07-01 12:00:00.123456789' },
      { ...classic('I', '2', { after: { ID: 2 } }), op_ts: '2026-01-01:12:00:00.5' },
      { ...classic('I', '3', { after: { ID: 3 } }), op_ts: '2026-01-01T12:00:00+0530' },
    ]);
    assert.deepEqual(
      (await of('rows')).map(({ committedAt }) => committedAt),
      ['2026-07-01T10:00:00.123456789Z', '2026-01-01T11:00:00.5Z', '2026-01-01T06:30:00Z'],
    );
  });

  test('may order by arrival alone', async () => {
    const { post, rows } = await newStream({ order: 'arrival', keys: { 'S.T': ['ID'] } });
    await post(record('INSERT', 5, { after: { ID: 1, A: 'first' } }));
    await post({ ...record('UPDATE', 1, { after: { ID: 1, A: 'second' } }), op_ts: undefined });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'second' } });
  });
});
