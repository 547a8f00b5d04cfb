import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { dataAvro, metadataAvro } from '../../../local/samples/qlik/renderAvro.ts';
import { dataJson, metadataJson } from '../../../local/samples/qlik/renderJson.ts';
import { respond } from '../../../shared/body/respond.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { consumerOn, countsOf, post, requestOf } from './consumerOn.ts';
import { bareMessage, envelope, eventOf, NAME, sequenceOf, tableOf } from './messages.ts';

const TABLE = tableOf('t', [NAME]);

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

async function rowsOf(stream: string): Promise<Record<string, unknown>> {
  const rows = (await store.documents('rows')).filter((row) => row.stream === stream);
  return Object.fromEntries(rows.map((row) => [row.id, row.deleted ? 'deleted' : row.row]));
}

describe('requests of a stream', () => {
  for (const [form, data, metadata] of [
    ['JSON', dataJson, metadataJson],
    ['Avro', dataAvro, metadataAvro],
  ] as const) {
    test(`move a row whose key changes, in ${form}, and change nothing when they come again`, async () => {
      const stream = `move${form}`;
      const consumer = await consumerOn(store, stream);
      await post(consumer, stream, metadata(TABLE));
      await post(consumer, stream, data(eventOf(TABLE, 'INSERT', 1, { ID: 1, NAME: 'a' })));
      const move = data(eventOf(TABLE, 'UPDATE', 2, { ID: 2, NAME: 'b' }, { ID: 1, NAME: 'a' }));
      assert.deepEqual(countsOf(await post(consumer, stream, move)), { received: 1, applied: 1 });
      assert.deepEqual(await rowsOf(stream), { 1: 'deleted', 2: { ID: 2, NAME: 'b' } });
      assert.deepEqual(countsOf(await post(consumer, stream, move)), { received: 1, duplicate: 1 });
      assert.deepEqual(await rowsOf(stream), { 1: 'deleted', 2: { ID: 2, NAME: 'b' } });
    });
  }

  test('may mix rows of a load and moves, which then keep their order', async () => {
    const stream = 'mixed';
    const consumer = await consumerOn(store, stream);
    const body = [
      metadataJson(TABLE),
      dataJson(eventOf(TABLE, 'REFRESH', 0, { ID: 1, NAME: 'loaded' })),
      dataJson(eventOf(TABLE, 'UPDATE', 1, { ID: 2, NAME: null }, { ID: 1, NAME: 'loaded' })),
      dataJson(eventOf(TABLE, 'REFRESH', 0, { ID: 3, NAME: 'loaded' })),
      dataJson(eventOf(TABLE, 'DELETE', 2, { ID: 3, NAME: null })),
    ].join('\n');
    assert.deepEqual(countsOf(await post(consumer, stream, body)), { received: 5, applied: 4, catalog: 1 });
    assert.deepEqual(await rowsOf(stream), { 1: 'deleted', 2: { ID: 2, NAME: null }, 3: 'deleted' });
  });

  test('of a transaction that is sent again from its start change nothing', async () => {
    const stream = 'again';
    const consumer = await consumerOn(store, stream);
    const changes = [1, 2, 3].map((at) =>
      dataJson(eventOf(TABLE, at === 1 ? 'INSERT' : 'UPDATE', at, { ID: 1, NAME: `${at}` })),
    );
    await post(consumer, stream, [metadataJson(TABLE), ...changes].join('\n'));
    assert.deepEqual(countsOf(await post(consumer, stream, changes.join('\n'))), { received: 3, duplicate: 3 });
    assert.deepEqual(await rowsOf(stream), { 1: { ID: 1, NAME: '3' } });
  });

  test('need no metadata where the settings name table and key, even if messages name a version', async () => {
    const stream = 'settings';
    const consumer = await consumerOn(store, stream, { table: 'hr.t', keys: { 'hr.t': ['ID'] } });
    const message = bareMessage({ data: { ID: 1, NAME: 'a' }, headers: { operation: 'INSERT' } });
    assert.deepEqual(countsOf(await post(consumer, stream, JSON.stringify(envelope(message, 'DT', 'NEVERCOMES')))), {
      received: 1,
      applied: 1,
    });
    assert.deepEqual(await rowsOf(stream), { 1: { ID: 1, NAME: 'a' } });
  });

  test('count masks that contradict their columns', async () => {
    const stream = 'masks';
    const consumer = await consumerOn(store, stream, { table: 'hr.t', keys: { 'hr.t': ['ID'] } });
    const headers = (at: number, columnMask: string) => ({ columnMask, changeSequence: sequenceOf(at) });
    const messages = ['01', '03'].map((mask, at) =>
      bareMessage({ data: { ID: at, A: 'x' }, headers: headers(at + 1, mask) }),
    );
    await post(consumer, stream, JSON.stringify(messages));
    const counts = (await store.documents('cursors')).find((each) => each.stream === stream)?.counts as
      | { ignoredMasks: number }
      | undefined;
    assert.equal(counts?.ignoredMasks, 1);
  });

  test('may be compressed, and must not be larger or have more records than the settings allow', async () => {
    const stream = 'limits';
    const consumer = await consumerOn(store, stream);
    const zipped = gzipSync(
      Buffer.concat([metadataAvro(TABLE), dataAvro(eventOf(TABLE, 'INSERT', 1, { ID: 1, NAME: 'a' }))]),
    );
    const request = requestOf(stream, zipped);
    const answer = await respond(
      { ...request, header: (name) => (name === 'content-encoding' ? 'gzip' : request.header(name)) },
      (each, deadline) => consumer.ingest(each, deadline),
    );
    assert.deepEqual(countsOf(answer), { received: 2, applied: 1, catalog: 1 });
    const huge = { ...request, header: (name: string) => (name === 'content-length' ? '99999999999' : null) };
    assert.equal((await respond(huge, (each, deadline) => consumer.ingest(each, deadline))).status, 413);
    const chunked = { ...requestOf(stream, ''), header: () => null };
    assert.equal((await respond(chunked, (each, deadline) => consumer.ingest(each, deadline))).status, 411);
  });

  test('answer 503 while the store is away, and are whole when they come again', async () => {
    const stream = 'away';
    const consumer = await consumerOn(store, stream);
    const body = `${metadataJson(TABLE)}${dataJson(eventOf(TABLE, 'INSERT', 1, { ID: 1, NAME: 'a' }))}`;
    store.proxy.arm(0, 'before');
    assert.equal((await post(consumer, stream, body)).status, 503);
    store.proxy.disarm();
    assert.deepEqual(countsOf(await post(consumer, stream, body)), { received: 2, applied: 1, catalog: 1 });
  });
});
