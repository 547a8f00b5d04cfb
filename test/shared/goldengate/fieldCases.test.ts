import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { GoldenGateStream } from '../../../shared/config.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { classic, cloudEvent, METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const newStream = (settings?: Partial<GoldenGateStream>) => newStreamOn(store, settings);

const SCHEMA = {
  id: 'urn:x:dml:S.T',
  $schema: 'http://json-schema.org/draft-04/schema#',
  title: 't',
  type: 'object',
  properties: {},
};
const STREAM = { op_type: 'STREAM_METADATA', producer: { name: 'ds', version: '26' } };

describe('field cases', () => {
  test('2: an update without a before image, or with an empty one, merges what it has', async () => {
    const { post, rows } = await newStream();
    await post([METADATA, record('INSERT', 1, { after: { ID: 1, A: 'a', B: 'b' } })]);
    const updates = [
      record('UPDATE', 2, { before: {}, after: { ID: 1, A: 'a2' } }),
      record('UPDATE', 3, { before: null, after: { ID: 1, A: 'a3' } }),
      record('UPDATE', 4, { after: { ID: 1, A: null } }),
      record('UPDATE', 5, { before: {}, after: { ID: 2, B: 'new' } }),
    ];
    assert.deepEqual(await post(updates), { applied: 4 });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: null, B: 'b' }, 2: { ID: 2, B: 'new' } });
  });

  test('4: a first frame of schemas and metadata makes no row and teaches the key, also in CloudEvents', async () => {
    for (const wrap of [(each: object) => each, (each: object) => cloudEvent('OGG-1', each)]) {
      const { post, rows, of } = await newStream();
      assert.deepEqual(await post([SCHEMA, STREAM, METADATA].map(wrap)), { catalog: 3 });
      assert.deepEqual(await rows(), {});
      assert.deepEqual(
        (await of('catalog')).map(({ kind, key, content }) => [kind, key ?? content]),
        [
          ['table', ['ID']],
          ['schema', SCHEMA],
          ['stream', STREAM],
        ],
      );
      assert.deepEqual(await post([wrap(record('INSERT', 1, { after: { ID: 1 } }))]), { applied: 1 });
    }
  });

  test('5: an array, an object, objects without anything between them and a Kafka REST envelope say the same', async () => {
    const records = [
      METADATA,
      record('INSERT', 1, { after: { ID: 1, A: 'a' } }),
      record('UPDATE', 2, { after: { ID: 1, B: 'b' } }),
    ];
    const texts = records.map((each) => JSON.stringify(each));
    const bodies: readonly (object | string)[] = [
      records,
      texts.join(''),
      texts.join('\n'),
      { records: records.map((value, key) => ({ key, value })) },
      { records: records.map((value) => ({ value: JSON.stringify(value) })) },
      records.map((payload) => ({ schema: { type: 'struct' }, payload })),
      cloudEvent('batch', records),
      { ...cloudEvent('text', {}), data: JSON.stringify(records) },
      { ...cloudEvent('bytes', {}), data: undefined, data_base64: Buffer.from(texts.join('\n')).toString('base64') },
    ];
    for (const body of bodies) {
      const { post, rows } = await newStream();
      assert.deepEqual(await post(body), { catalog: 1, applied: 2 });
      assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a', B: 'b' } });
    }
    const { post, rows } = await newStream();
    for (const each of records) await post(each, { 'ce-specversion': '1.0', 'ce-id': 'OGG-9', 'ce-source': 'uri:x' });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a', B: 'b' } });
  });

  test('6: duplicates are told by the position, never by the id of a CloudEvent', async () => {
    const { post, of } = await newStream();
    await post(METADATA);
    const first = record('INSERT', 1, { after: { ID: 1, A: 'a' } });
    assert.deepEqual(await post(cloudEvent('OGG-1', first)), { applied: 1 });
    assert.deepEqual(await post(cloudEvent('OGG-7', first)), { duplicate: 1 });
    assert.deepEqual(await post(cloudEvent('OGG-1', record('UPDATE', 2, { after: { ID: 1, A: 'b' } }))), {
      applied: 1,
    });
    assert.deepEqual(
      (await of('changes')).map(({ origin }) => (origin as { cloudEvent: { id: string } }).cloudEvent.id),
      ['OGG-1', 'OGG-1'],
    );
  });

  test('8: a greater position with an older time is stale, a smaller one with a newer time applies', async () => {
    const { post, rows } = await newStream();
    const at = (op_ts: string, pos: string, A: string) => ({ ...classic('U', pos, { after: { ID: 1, A } }), op_ts });
    assert.deepEqual(await post(at('2026-01-01 10:00:00.000000', '5000', 'now')), { applied: 1 });
    assert.deepEqual(await post(at('2026-01-01 09:00:00.000000', '9000', 'then')), { stale: 1 });
    assert.deepEqual(await post(at('2026-01-01 11:00:00.000000', '10', 'later')), { applied: 1 });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'later' } });
  });

  test('9: operations of one time apply in the order in which they came', async () => {
    const { post, rows } = await newStream();
    const life = [
      record('INSERT', 1, { after: { ID: 1, A: 'a' } }),
      record('UPDATE', 1, { before: { ID: 1, A: 'a' }, after: { ID: 1, A: 'b' } }),
      record('DELETE', 1, { before: { ID: 1, A: 'b' } }),
    ];
    await post([METADATA, ...life]);
    assert.deepEqual(await rows(), { 1: 'deleted' });
    assert.deepEqual(await post(life.toReversed()), { duplicate: 3 });
    await post(record('INSERT', 1, { after: { ID: 1, A: 'again' } }));
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'again' } });
  });

  test('11: a truncation, a statement and an unknown operation leave their neighbours alone', async () => {
    const { post, rows, of } = await newStream();
    const ddl = {
      op_type: 'DDL',
      op_ts: '2026-01-01T00:00:01Z',
      xid: '0.1.3',
      pos: 'G-AC',
      ddl: { object: { catalog: '', schema: 'S', object: 'T' }, statement: 'ALTER TABLE T ADD B NUMBER' },
    };
    const frame = [
      METADATA,
      record('INSERT', 1, { after: { ID: 1 } }),
      classic('T', '7', { before: null, after: null }),
      ddl,
      record('FROB', 2, { after: { ID: 1 } }),
      record('INSERT', 3, { after: { ID: 2 } }),
    ];
    assert.deepEqual(await post(frame), {
      applied: 3,
      deadLettered: 1,
      catalog: 1,
      ignored: 1,
      reasons: [[4, 'unknown-operation']],
    });
    assert.deepEqual(await rows(), { 1: { ID: 1 }, 2: { ID: 2 } });
    const [table] = await of('catalog');
    assert.deepEqual([table?.stale, table?.key], [true, ['ID']]);
    assert.deepEqual((await of('changes')).map(({ op }) => op).sort(), ['ddl', 'insert', 'insert', 'truncate']);
    // A statement that comes again after fresh metadata has come says nothing new.
    await post([METADATA]);
    assert.deepEqual(await post(ddl), { duplicate: 1 });
    assert.equal((await of('catalog'))[0]?.stale, false);
  });

  test('12: NUL in texts is kept, raw and escaped, and keys are not trimmed', async () => {
    const { post, rows } = await newStream({ keys: { 'S.T': ['K'] } });
    const text = JSON.stringify(record('INSERT', 1, { after: { K: 'test ', A: 'x\u0000y', B: '=NUL=' } }));
    assert.deepEqual(await post(text.replace('=NUL=', 'a\u0000b')), { applied: 1 });
    await post(record('UPDATE', 2, { before: { K: 'test ' }, after: { K: 'test ', C: 1 } }));
    await post(record('INSERT', 3, { after: { K: 'test' } }));
    assert.deepEqual(await rows(), {
      test: { K: 'test' },
      'test%20': { K: 'test ', A: 'x\u0000y', B: 'a\u0000b', C: 1 },
    });
    assert.deepEqual(await post(record('DELETE', 4, { before: { K: 'test ' } })), { applied: 1 });
    assert.equal((await rows())['test%20'], 'deleted');
  });

  test('14: a text that was cut, members with a dollar sign and a column _ID are stored as they are', async () => {
    const { post, rows } = await newStream({ keys: { 'S.T': ['_ID'] } });
    const DATA = `{"a":{"$binary":"AA=="},"t":{"$oracleTimestamp":"2026-01-01"},"cut":"${'x'.repeat(64_000)}`;
    assert.deepEqual(await post(record('INSERT', 1, { after: { _ID: '608', DATA, $ref: { $binary: 'x' } } })), {
      applied: 1,
    });
    assert.deepEqual(await rows(), { 608: { _ID: '608', DATA, $ref: { $binary: 'x' } } });
  });
});

describe('classic records', () => {
  test('in the row model show the row as it was before a delete and as it is after anything else', async () => {
    const { post, rows } = await newStream();
    const images = { ID: 1, A: 'a', B: null };
    assert.deepEqual(await post([classic('I', '1', images), classic('U', '2', { ...images, A: 'b' })]), { applied: 2 });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'b', B: null } });
    assert.deepEqual(await post(classic('D', '3', { ID: 1 })), { applied: 1 });
    assert.deepEqual(await rows(), { 1: 'deleted' });
  });

  test('tell missing columns from nulls by their helpers', async () => {
    const { post, rows } = await newStream();
    await post(classic('I', '1', { after: { ID: 1, A: 'a', B: 'b', note_isMissing: 'a column of its own' } }));
    const update = { ID: 1, ID_isMissing: false, A: null, A_isMissing: true, B: null, B_isMissing: false };
    await post(classic('U', '2', { before: null, after: update }));
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a', B: null, note_isMissing: 'a column of its own' } });
  });

  test('of a key change as delete and insert at one position are two changes', async () => {
    const { post, rows } = await newStream();
    await post(classic('I', '1', { after: { ID: 1, A: 'a' } }));
    const pair = [
      classic('D', '2', { before: { ID: 1, A: 'a' }, after: null }),
      classic('I', '2', { after: { ID: 1, A: 'z' } }),
    ];
    assert.deepEqual(await post(pair), { applied: 2 });
    assert.deepEqual(await post(pair), { duplicate: 2 });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'z' } });
  });

  test('without a position are recognised by their content, whenever they were formatted', async () => {
    const { post } = await newStream();
    const { pos: _, ...sent } = classic('I', '1', { after: { ID: 1 } });
    assert.deepEqual(await post(sent), { applied: 1 });
    assert.deepEqual(await post({ ...sent, current_ts: 'later' }), { duplicate: 1 });
  });

  test('of tables with three-part names and of names in other letters keep those', async () => {
    const { post, of } = await newStream();
    await post({ ...classic('I', '1', { after: { ID: 1 } }), table: 'CAT.SCH.TAB' });
    const [row] = await of('rows');
    assert.equal(row?.table, `goldengate/${row?.stream}/CAT.SCH.TAB`);
  });
});

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

describe('keys', () => {
  test('are spelled as their column is declared', async () => {
    const { post, rows, of } = await newStream();
    await post([METADATA, record('INSERT', 1, { after: { ID: 600, A: 'a' } })]);
    await post(record('UPDATE', 2, { after: { ID: '600', A: 'b' } }));
    await post(
      `[${JSON.stringify(record('UPDATE', 3, { after: { ID: 7, B: 'c' } })).replace('"ID":7', '"ID":600.00')}]`,
    );
    assert.deepEqual(await rows(), { 600: { ID: 600, A: 'b', B: 'c' } });
    assert.deepEqual((await of('rows'))[0]?.keys, { ID: 600 });
  });

  test('are spelled as the schema of their table says, whoever names them', async () => {
    const { post, rows } = await newStream();
    const after = { type: 'object', properties: { ID: { type: ['number', 'null'] }, A: { type: 'string' } } };
    const schema = { ...SCHEMA, properties: { before: after, after } };
    await post([schema, classic('I', '1', { after: { ID: '0600', A: 'a' } })]);
    await post(classic('U', '2', { after: { ID: 600, B: 'b' } }));
    assert.deepEqual(await rows(), { 600: { ID: 600, A: 'a', B: 'b' } });
    // Its word counts for more than that of the metadata.
    await post([{ ...METADATA, columns: { ID: { type: 'string', null: false, key: true } } }]);
    await post(record('UPDATE', 5, { after: { ID: '600.0', A: 'c' } }));
    assert.deepEqual(await rows(), { 600: { ID: 600, A: 'c', B: 'b' } });
  });

  test('of 38 digits lose none of them', async () => {
    const { post, rows } = await newStream();
    const digits = '12345678901234567890123456789012345678';
    const insert = JSON.stringify(record('INSERT', 1, { after: { ID: 7, A: 17520 } })).replace(
      '"ID":7',
      `"ID":${digits}`,
    );
    await post(`[${JSON.stringify(METADATA)},${insert.replace('17520', '17520.00')}]`);
    assert.deepEqual(await rows(), { [digits]: { ID: digits, A: 17520 } });
  });

  test('that change move the row, with the columns that the change does not carry', async () => {
    const { post, rows } = await newStream();
    await post([METADATA, record('INSERT', 1, { after: { ID: 1, A: 'a', B: 'b' } })]);
    const move = record('UPDATE', 2, { before: { ID: 1, A: 'a' }, after: { ID: 2 } });
    assert.deepEqual(await post(move), { applied: 1 });
    assert.deepEqual(await post(move), { duplicate: 1 });
    assert.deepEqual(await rows(), { 1: 'deleted', 2: { ID: 2, A: 'a', B: 'b' } });
  });

  test('of several columns that change move the row, whichever of them the images carry', async () => {
    const pairs: readonly [before: object, after: object][] = [
      [{ K1: 1 }, { K1: 2, K2: 5 }],
      [{ K1: 1 }, { K1: 2, K2: 5, A: 'a' }],
      [{ K1: 1, K2: 5 }, { K1: 2 }],
      [
        { K1: 1, K2: 5, A: 'a' },
        { K1: 2, K2: 5 },
      ],
    ];
    for (const [before, after] of pairs) {
      const { post, rows } = await newStream({ keys: { 'S.T': ['K1', 'K2'] } });
      await post([record('INSERT', 1, { after: { K1: 1, K2: 5, A: 'a' } }), record('UPDATE', 2, { before, after })]);
      assert.deepEqual(await rows(), { '1,5': 'deleted', '2,5': { K1: 2, K2: 5, A: 'a' } });
    }
  });

  test('of several columns stay where they are when before carries none or some of them', async () => {
    for (const before of [{}, { A: 'a' }, { K1: 1 }, { K2: 5, A: 'a' }]) {
      const { post, rows } = await newStream({ keys: { 'S.T': ['K1', 'K2'] } });
      await post(record('INSERT', 1, { after: { K1: 1, K2: 5, A: 'a' } }));
      await post(record('UPDATE', 2, { before, after: { K1: 1, K2: 5, A: 'b' } }));
      assert.deepEqual(await rows(), { '1,5': { K1: 1, K2: 5, A: 'b' } });
    }
  });

  test('of many rows that move over each other in one transaction', async () => {
    const { post, rows } = await newStream();
    const ids = [1, 2, 3, 4, 5];
    await post([METADATA, ...ids.map((ID) => record('INSERT', 1, { after: { ID, A: `row ${ID}` } }))]);
    const shift = ids.map((ID) =>
      record('UPDATE', 2, { before: { ID, A: `row ${ID}` }, after: { ID: ID + 1, A: `row ${ID}` } }),
    );
    assert.deepEqual(await post(shift), { applied: 5 });
    assert.deepEqual(await rows(), {
      1: 'deleted',
      ...Object.fromEntries(ids.map((ID) => [ID + 1, { ID: ID + 1, A: `row ${ID}` }])),
    });
  });
});
