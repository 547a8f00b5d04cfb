import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { GoldenGateStream } from '../../../shared/config.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { classic, cloudEvent, METADATA, record, SCHEMA, STREAM } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const newStream = (settings?: Partial<GoldenGateStream>) => newStreamOn(store, settings);

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
