import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { dataAvro, metadataAvro } from '../../../local/samples/qlik/renderAvro.ts';
import { dataJson, metadataJson, metadataOf } from '../../../local/samples/qlik/renderJson.ts';
import type { Columns } from '../../../shared/change/json.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { consumerOn, countsOf, post } from './consumerOn.ts';
import { bareMessage, envelope, eventOf, NAME, PRICE, sequenceOf, tableOf } from './messages.ts';

const KEYED = { table: 'hr.t', keys: { 'hr.t': ['ID'] } };
const STREAMS = JSON.stringify({
  qlik: {
    keyed: KEYED,
    wide: { table: 'hr.wide', keys: { 'hr.wide': ['c1'] } },
    reload: {},
    values: {},
  },
});

let store: TestStore;
before(async () => {
  store = await startTestStore({ settings: { STREAMS } });
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
});
after(async () => {
  mock.timers.reset();
  await store.close();
});

/** Posts to a stream and returns the counts of the answer. */
async function send(stream: string, ...messages: (object | string | Uint8Array)[]) {
  const consumer = await consumerOn(store, stream);
  const answers = [];
  for (const message of messages) {
    const body = typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message);
    answers.push(countsOf(await post(consumer, stream, body)));
  }
  return answers.length === 1 ? answers[0] : answers;
}

async function rowsOf(table: string): Promise<{ readonly [id: string]: Columns | 'deleted' }> {
  const rows = (await store.documents('rows')).filter((row) => row.table === table);
  return Object.fromEntries(rows.map((row) => [row.id, row.deleted ? 'deleted' : (row.row as Columns)]));
}

async function changesOf(table: string) {
  return (await store.documents('changes')).filter((change) => change.table === table);
}

describe('the field case', () => {
  test('1: a REFRESH with empty texts and null masks is a row of a load', async () => {
    const headers = {
      operation: 'REFRESH',
      changeSequence: '',
      timestamp: '',
      streamPosition: '',
      transactionId: '',
      transactionEventCounter: null,
      transactionLastEvent: null,
    };
    assert.deepEqual(
      await send('keyed', envelope(bareMessage({ table: 'one', data: { ID: 1, A: null }, headers, schema: 'hr' }))),
      {
        received: 1,
        parked: 1,
      },
    );
    assert.deepEqual(await send('keyed', bareMessage({ data: { ID: 1, A: null }, headers })), {
      received: 1,
      applied: 1,
    });
    const [change] = await changesOf('qlik/keyed/hr.t');
    assert.deepEqual(
      [change?.op, change?.image, change?.committedAt, change?.transaction, await rowsOf('qlik/keyed/hr.t')],
      ['snapshot', 'full', null, null, { 1: { ID: 1, A: null } }],
    );
  });

  test('3: a mask of several bytes tells a null that is one from a null that could not be captured', async () => {
    const columns = Array.from({ length: 16 }, (_, at) => `c${at + 1}`);
    const full = Object.fromEntries(columns.map((name) => [name, name]));
    const insert = bareMessage({
      data: full,
      headers: { operation: 'INSERT', changeSequence: sequenceOf(1), columnMask: '00FFFF' },
    });
    const update = bareMessage({
      data: { ...full, c8: null, c16: null, c9: null },
      headers: { changeSequence: sequenceOf(2), changeMask: '008080', columnMask: '00FEFF' },
    });
    await send('wide', insert, update);
    assert.deepEqual(await rowsOf('qlik/wide/hr.wide'), { c1: { ...full, c8: null, c16: null } });
    const origins = (await changesOf('qlik/wide/hr.wide')).map(({ origin }) => (origin as Columns).ordinals);
    assert.deepEqual(origins, ['inferred', 'inferred']);
  });

  test('5: an UPDATE of nothing is no error, and moves the row on', async () => {
    const table = tableOf('noop', [NAME]);
    const row = { ID: 5, NAME: 'a' };
    await send('s5', metadataJson(table), dataJson(eventOf(table, 'INSERT', 1, row)));
    assert.deepEqual(await send('s5', dataJson(eventOf(table, 'UPDATE', 3, row, row))), { received: 1, applied: 1 });
    const late = dataJson(eventOf(table, 'UPDATE', 2, { ...row, NAME: 'late' }, row));
    assert.deepEqual(await send('s5', late), { received: 1, stale: 1 });
    assert.deepEqual(await rowsOf('qlik/s5/hr.noop'), { 5: row });
  });

  for (const [form, data, metadata] of [
    ['JSON', dataJson, metadataJson],
    ['Avro', dataAvro, metadataAvro],
  ] as const) {
    test(`6: a data message in ${form} that comes before its metadata waits, as bytes, and becomes a row then`, async () => {
      const table = tableOf('early', [NAME]);
      const stream = `early${form}`;
      assert.deepEqual(await send(stream, data(eventOf(table, 'INSERT', 1, { ID: 1, NAME: 'a' }))), {
        received: 1,
        parked: 1,
      });
      const other = tableOf('early', [PRICE], 2);
      assert.deepEqual(await send(stream, metadata(other)), { received: 1, catalog: 1 });
      assert.deepEqual(await rowsOf(`qlik/${stream}/hr.early`), {});
      assert.deepEqual(await send(stream, metadata(table)), { received: 1, catalog: 1 });
      assert.deepEqual(await rowsOf(`qlik/${stream}/hr.early`), { 1: { ID: 1, NAME: 'a' } });
    });

    test(`7: messages in ${form} of an old version and of one with a column in the middle are both read right`, async () => {
      const old = tableOf('altered', [NAME, PRICE]);
      const added = { name: 'CODE', type: 'STRING' };
      const altered = { ...tableOf('altered', [], 2), columns: old.columns.toSpliced(1, 0, added) };
      const stream = `altered${form}`;
      await send(stream, metadata(old), metadata(altered));
      const uncaptured = new Set(['NAME']);
      const first = eventOf(old, 'INSERT', 1, { ID: 1, NAME: 'a', PRICE: '1.00' });
      const second = {
        ...eventOf(altered, 'UPDATE', 2, { ID: 1, CODE: '007', NAME: null, PRICE: '2.00' }),
        uncaptured,
      };
      const third = eventOf(old, 'UPDATE', 3, { ID: 1, NAME: 'b', PRICE: '3.00' });
      for (const event of [third, second, first]) await send(stream, data(event));
      assert.deepEqual(await rowsOf(`qlik/${stream}/hr.altered`), {
        1: { ID: 1, CODE: '007', NAME: 'b', PRICE: '3.00' },
      });
    });
  }

  test('8: metadata with both messageSchemaId and messageSchema is known by the id that it gives its data messages', async () => {
    const table = tableOf('both', [NAME]);
    const message = { ...metadataOf(table), schemaId: 'OTHER' };
    await send('both', { ...envelope(message, 'MD', table.schemaId), messageSchema: '{"type":"record"}' });
    const event = envelope(
      JSON.parse(dataJson(eventOf(table, 'INSERT', 1, { ID: 1, NAME: 'a' }))).message,
      'DT',
      'OTHER',
    );
    assert.deepEqual(await send('both', event), { received: 1, applied: 1 });
  });

  test('10: rows of a reload overwrite what came before it, repeat harmlessly, and lose to what is captured meanwhile', async () => {
    const table = tableOf('loaded', [NAME]);
    const refresh = (NAME: string) => dataJson(eventOf(table, 'REFRESH', 0, { ID: 1, NAME }));
    const update = (at: number, NAME: string) => dataJson(eventOf(table, 'UPDATE', at, { ID: 1, NAME }));
    const rows = () => rowsOf('qlik/reload/hr.loaded');
    await send('reload', metadataJson(table), refresh('loaded'), update(1, 'captured'), refresh('loaded'));
    assert.deepEqual(await rows(), { 1: { ID: 1, NAME: 'captured' } });
    mock.timers.tick(16 * 60 * 1000);
    assert.deepEqual(await send('reload', refresh('loaded')), { received: 1, applied: 1 });
    assert.deepEqual(await rows(), { 1: { ID: 1, NAME: 'loaded' } });
    assert.deepEqual(await send('reload', refresh('loaded')), { received: 1, duplicate: 1 });
    assert.deepEqual(await send('reload', update(1, 'captured')), { received: 1, duplicate: 1 });
    assert.deepEqual(await send('reload', update(2, 'newer'), refresh('loaded, retried')), [
      { received: 1, applied: 1 },
      { received: 1, applied: 1 },
    ]);
    assert.deepEqual(await rows(), { 1: { ID: 1, NAME: 'newer' } });
  });

  test('11: a changeSequence that a bridge made a number of counts where it is exact, and is refused where it was rounded', async () => {
    const text = (sequence: string) =>
      JSON.stringify(bareMessage({ data: { ID: 11, N: 1 }, headers: { changeSequence: '?' } })).replace(
        '"?"',
        sequence,
      );
    assert.deepEqual(await send('keyed', text(sequenceOf(4))), { received: 1, applied: 1 });
    assert.deepEqual(await send('keyed', text(`"${sequenceOf(4)}"`)), { received: 1, duplicate: 1 });
    assert.deepEqual(await send('keyed', text('2.0240501102030002e+34')), {
      received: 1,
      deadLettered: 1,
      reasons: ['no-order'],
    });
  });

  test('13: values follow their metadata in JSON and Avro alike, and stay as sent without', async () => {
    const table = tableOf('values', [
      PRICE,
      { name: 'CODE', type: 'STRING' },
      { name: 'RAW', type: 'BYTES' },
      { name: 'AT', type: 'DATETIME' },
      { name: 'LAST', type: 'DATETIME' },
    ]);
    const row = {
      PRICE: '10000.00',
      CODE: '007',
      RAW: 'DEADBEEF',
      AT: '2023-03-21T14:34:21.000000',
      LAST: '32767-12-31T23:59:59.999999',
    };
    await send(
      'values',
      metadataJson(table),
      dataJson(eventOf(table, 'INSERT', 1, { ID: 1, ...row })),
      dataAvro(eventOf(table, 'INSERT', 2, { ID: 2, ...row })),
    );
    assert.deepEqual(await rowsOf('qlik/values/hr.values'), { 1: { ID: 1, ...row }, 2: { ID: 2, ...row } });
    const sent = { ID: '2', PRICE: '10000.00', CODE: '007', RAW: 'deadbeef', AT: '2023-03-21 14:34:21.000000' };
    await send('keyed', bareMessage({ data: sent, headers: { operation: 'INSERT', changeSequence: sequenceOf(9) } }));
    assert.deepEqual((await rowsOf('qlik/keyed/hr.t'))['2'], sent);
  });

  test('15: what is no row makes none: nothing, an old format, a framing without its schema, other types and operations', async () => {
    const old = {
      task_name: 't',
      schema: 'hr',
      table: 't',
      op: 'F',
      stream_position: '',
      change_seq: '',
      ts: '',
      data: [{ ID: '15' }, { A: 'NULL' }],
    };
    const pushed = {
      message: { data: Buffer.from(dataJson(eventOf(tableOf('t', []), 'DELETE', 7, { ID: 16 }))).toString('base64') },
    };
    const insert = { operation: 'TRUNCATE' };
    const answers = await send(
      'keyed',
      'null',
      '',
      old,
      Buffer.from([0, 0, 0, 0, 17, 2, 4, 6]),
      envelope({}, 'MT'),
      bareMessage({ headers: insert }),
      pushed,
    );
    assert.deepEqual(answers, [
      { received: 1, ignored: 1 },
      {},
      { received: 1, applied: 1 },
      { received: 1, parked: 1 },
      { received: 1, deadLettered: 1, reasons: ['unsupported-type'] },
      { received: 1, deadLettered: 1, reasons: ['unknown-operation'] },
      { received: 1, applied: 1 },
    ]);
    const rows = await rowsOf('qlik/keyed/hr.t');
    assert.deepEqual([rows['15'], rows['16']], [{ ID: '15', A: null }, 'deleted']);
    const origin = (await changesOf('qlik/keyed/hr.t')).find(({ key }) => key === '15')?.origin as Columns;
    assert.deepEqual([origin.form, origin.nullTexts], ['attunity', ['A']]);
  });
});
