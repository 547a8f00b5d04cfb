import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { QlikEvent } from '../../../local/samples/qlik/qlikEvent.ts';
import { dataAvro, metadataAvro } from '../../../local/samples/qlik/renderAvro.ts';
import { dataJson, metadataJson } from '../../../local/samples/qlik/renderJson.ts';
import type { Columns } from '../../../shared/change/json.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { consumerOn, countsOf, post } from './consumerOn.ts';
import { bareMessage, eventOf, NAME, PRICE, sequenceOf, tableOf } from './messages.ts';

const FIRST = tableOf('parked', [NAME]);
const SECOND = { ...tableOf('parked', [NAME, PRICE], 2) };
const MESSAGES = 1_000;
const ROWS = 250;
/** Writes that each process gets through more than the one before it. Finer in `npm run test:faults`, which sets it. */
const WRITES_PER_LIFE = Number(process.env.QLIK_WRITES_PER_LIFE ?? 23);

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

/** Inserts of rows, then updates of them under the second version. */
function history(): readonly QlikEvent[] {
  return Array.from({ length: MESSAGES }, (_, at) => {
    const ID = (at % ROWS) + 1;
    if (at < ROWS) return eventOf(FIRST, 'INSERT', at + 1, { ID, NAME: 'new' });
    if (at < MESSAGES / 2) return eventOf(FIRST, 'UPDATE', at + 1, { ID, NAME: `name ${at}` });
    return eventOf(SECOND, 'UPDATE', at + 1, { ID, NAME: `name ${at}`, PRICE: `${at}.00` });
  });
}

function endOfHistory(): Readonly<Record<string, Columns>> {
  const last = history().slice(-ROWS);
  return Object.fromEntries(last.map(({ data }) => [String(data?.ID), data ?? {}]));
}

async function rowsOf(stream: string): Promise<Record<string, unknown>> {
  const rows = (await store.documents('rows')).filter((row) => row.stream === stream);
  return Object.fromEntries(rows.map((row) => [row.id, row.deleted ? 'deleted' : row.row]));
}

async function parkedOf(stream: string): Promise<number> {
  return (await store.documents('parked')).filter((record) => record.stream === stream).length;
}

describe('data messages before their metadata', () => {
  for (const [form, data, metadata, join] of [
    [
      'JSON',
      (event: QlikEvent) => Buffer.from(dataJson(event)),
      metadataJson,
      (all: readonly Buffer[]) => all.join('\n'),
    ],
    ['Avro', dataAvro, metadataAvro, (all: readonly Buffer[]) => Buffer.concat(all)],
  ] as const) {
    test(`1,000 in ${form} of two versions become rows with it, whatever a crash leaves undone`, async () => {
      const stream = `thousand${form}`;
      const consumer = await consumerOn(store, stream);
      assert.deepEqual(countsOf(await post(consumer, stream, join(history().map(data)))), {
        received: MESSAGES,
        parked: MESSAGES,
      });
      // Each process dies a little later in the work.
      for (let writes = 0; (await parkedOf(stream)) > 0; writes += WRITES_PER_LIFE) {
        const dying = await consumerOn(store, stream);
        store.proxy.arm(writes, writes % 2 === 0 ? 'before' : 'after');
        await post(dying, stream, metadata(SECOND));
        await post(dying, stream, metadata(FIRST));
        store.proxy.disarm();
        assert.ok(writes < 300, 'the records would never be settled');
      }
      assert.deepEqual(await rowsOf(stream), endOfHistory());
      const changes = (await store.documents('changes')).filter((change) => change.stream === stream);
      assert.equal(changes.length, MESSAGES);
    });
  }

  test('are replayed before what follows the metadata in the same request, and count once', async () => {
    const stream = 'sameRequest';
    const consumer = await consumerOn(store, stream);
    const early = dataJson(eventOf(FIRST, 'INSERT', 1, { ID: 1, NAME: 'early' }));
    const refresh = dataJson(eventOf(FIRST, 'REFRESH', 0, { ID: 1, NAME: 'loaded' }));
    assert.deepEqual(countsOf(await post(consumer, stream, early)), { received: 1, parked: 1 });
    assert.deepEqual(countsOf(await post(consumer, stream, `${refresh}\n${metadataJson(FIRST)}`)), {
      received: 2,
      applied: 1,
      catalog: 1,
    });
    assert.deepEqual(await rowsOf(stream), { 1: { ID: 1, NAME: 'loaded' } });
    const counters = (await store.documents('cursors')).find((each) => each.stream === stream);
    const counts = (counters?.counts ?? {}) as Record<string, number>;
    assert.deepEqual([counts.received, counts.applied, counts.parked], [3, 2, 1]);
  });

  test('of a load keep their place: what is captured while they wait wins over them', async () => {
    const stream = 'waitingLoad';
    const consumer = await consumerOn(store, stream);
    await post(consumer, stream, metadataJson(SECOND));
    await post(consumer, stream, dataJson(eventOf(SECOND, 'INSERT', 1, { ID: 1, NAME: 'before', PRICE: '1.00' })));
    await post(consumer, stream, dataJson(eventOf(FIRST, 'REFRESH', 0, { ID: 1, NAME: 'loaded' })));
    await post(consumer, stream, dataJson(eventOf(SECOND, 'UPDATE', 2, { ID: 1, NAME: 'captured', PRICE: '2.00' })));
    await post(consumer, stream, metadataJson(FIRST));
    assert.deepEqual(await rowsOf(stream), { 1: { ID: 1, NAME: 'captured', PRICE: '2.00' } });
  });

  test('of a metadata that came through another instance at that very moment do not stay behind', async () => {
    const stream = 'twoInstances';
    const [one, other] = await Promise.all([consumerOn(store, stream), consumerOn(store, stream)]);
    const event = dataJson(eventOf(FIRST, 'INSERT', 1, { ID: 1, NAME: 'a' }));
    await post(one, stream, event);
    await post(other, stream, metadataJson(FIRST));
    // The first instance still remembers that there was no metadata.
    await post(one, stream, dataJson(eventOf(FIRST, 'UPDATE', 2, { ID: 1, NAME: 'b' })));
    assert.deepEqual([await rowsOf(stream), await parkedOf(stream)], [{ 1: { ID: 1, NAME: 'b' } }, 0]);
  });
});

describe('messages of a table without metadata', () => {
  const insert = {
    table: 'unknown',
    data: { A: 1, ID: 7 },
    headers: { operation: 'INSERT', changeSequence: sequenceOf(1) },
  };

  test('wait for its key, which a DELETE shows by its changeMask', async () => {
    const stream = 'learnt';
    const consumer = await consumerOn(store, stream);
    assert.deepEqual(countsOf(await post(consumer, stream, JSON.stringify(bareMessage(insert)))), {
      received: 1,
      parked: 1,
    });
    const remove = {
      table: 'unknown',
      data: { A: null, ID: 8 },
      headers: { operation: 'DELETE', changeSequence: sequenceOf(2), changeMask: '02', columnMask: '03' },
    };
    assert.deepEqual(countsOf(await post(consumer, stream, JSON.stringify(bareMessage(remove)))), {
      received: 1,
      applied: 1,
    });
    assert.deepEqual(await rowsOf(stream), { 7: { A: 1, ID: 7 }, 8: 'deleted' });
    assert.equal(await parkedOf(stream), 0);
  });

  test('take it from the key of the record that carried them', async () => {
    const stream = 'messageKey';
    const consumer = await consumerOn(store, stream);
    const records = [
      { key: { ID: 7 }, value: bareMessage(insert) },
      { key: '{"ID":7}', value: null },
    ];
    assert.deepEqual(countsOf(await post(consumer, stream, JSON.stringify({ records }))), {
      received: 2,
      applied: 1,
      ignored: 1,
    });
    assert.deepEqual(await rowsOf(stream), { 7: { A: 1, ID: 7 } });
  });

  test('that do not even name it wait, and the sweep takes them when the settings tell', async () => {
    const stream = 'nameless';
    const nameless = JSON.stringify(bareMessage({ ...insert, table: undefined }));
    assert.deepEqual(countsOf(await post(await consumerOn(store, stream), stream, nameless)), {
      received: 1,
      parked: 1,
    });
    const waitingFor = String((await store.documents('parked')).find((record) => record.stream === stream)?.waitingFor);
    await (await consumerOn(store, stream)).replay(waitingFor);
    assert.equal(await parkedOf(stream), 1);
    const settings = { table: 'hr.t', keys: { 'hr.t': ['ID'] } };
    await (await consumerOn(store, stream, settings)).replay(waitingFor);
    assert.deepEqual([await rowsOf(stream), await parkedOf(stream)], [{ 7: { A: 1, ID: 7 } }, 0]);
  });
});

describe('a table whose metadata says that it has no key', () => {
  test('has its changes in the history, and no rows', async () => {
    const stream = 'keyless';
    const consumer = await consumerOn(store, stream);
    const keyless = { ...FIRST, schemaId: 'F'.repeat(32), columns: [NAME] };
    const event = eventOf(keyless, 'INSERT', 1, { NAME: 'a' });
    assert.deepEqual(countsOf(await post(consumer, stream, `${metadataJson(keyless)}${dataJson(event)}`)), {
      received: 2,
      applied: 1,
      catalog: 1,
    });
    const [change] = (await store.documents('changes')).filter((each) => each.stream === stream);
    assert.deepEqual([change?.flag, change?.keys, await rowsOf(stream)], ['no-key', null, {}]);
  });
});
