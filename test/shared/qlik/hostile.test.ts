import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { dataAvro, metadataAvro } from '../../../local/samples/qlik/renderAvro.ts';
import { dataJson, metadataJson } from '../../../local/samples/qlik/renderJson.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { consumerOn, countsOf, post } from './consumerOn.ts';
import { bareMessage, envelope, eventOf, NAME, tableOf } from './messages.ts';

const TABLE = tableOf('t', [NAME]);
const EVENT = eventOf(TABLE, 'INSERT', 1, { ID: 1, NAME: 'a' });
const SEEDS = [dataJson(EVENT), metadataJson(TABLE), dataAvro(EVENT), metadataAvro(TABLE)].map((seed) =>
  Buffer.from(seed),
);
const SETTINGS = { table: 'hr.t', keys: { 'hr.t': ['ID'] } };

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

describe('hostile input', () => {
  test('that was broken anywhere gets a typed answer, never a fault of ours', async () => {
    const consumer = await consumerOn(store, 'broken', SETTINGS);
    const edit = fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom('set', 'insert', 'cut') });
    const property = fc.asyncProperty(
      fc.constantFrom(...SEEDS),
      fc.array(edit, { minLength: 1, maxLength: 4 }),
      async (seed, edits) => {
        const body = edits.reduce((bytes, { at, byte, kind }) => {
          const place = at % bytes.length;
          if (kind === 'cut') return bytes.subarray(0, Math.max(1, place));
          const rest = bytes.subarray(kind === 'set' ? place + 1 : place);
          return Buffer.concat([bytes.subarray(0, place), Buffer.from([byte]), rest]);
        }, seed);
        const { status } = await post(consumer, 'broken', body);
        assert.ok(status === 200 || status === 400, `status ${status}`);
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  test('that was never a message neither', async () => {
    const consumer = await consumerOn(store, 'noise', SETTINGS);
    const prefixes = ['', 'atMSG', 'Obj\u0001', '\u0000', '\u0000\u0000\u0000\u0009atMSG', '{"magic":"atMSG",', '['];
    const property = fc.asyncProperty(
      fc.constantFrom(...prefixes),
      fc.uint8Array({ maxLength: 60 }),
      async (prefix, noise) => {
        const { status } = await post(consumer, 'noise', Buffer.concat([Buffer.from(prefix, 'latin1'), noise]));
        assert.ok(status === 200 || status === 400, `status ${status}`);
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });

  test('of every wrong type harms none of its neighbours', async () => {
    const consumer = await consumerOn(store, 'types', SETTINGS);
    const wrong = [null, 5, 'x', [], {}, true, [[1]], { a: { b: {} } }];
    const places = wrong.flatMap((value) => [
      value,
      envelope(value),
      envelope(value, 'MD'),
      envelope({ schemaId: value, lineage: value, tableStructure: { tableColumns: value } }, 'MD'),
      envelope({ schemaId: 'x', lineage: { table: 't' }, tableStructure: { tableColumns: { ID: value } } }, 'MD'),
      bareMessage({ data: value }),
      bareMessage({ data: { ID: value }, beforeData: value }),
      { data: { ID: 1 }, headers: value },
      bareMessage({
        data: { ID: 1 },
        headers: { operation: value, changeSequence: value, changeMask: value, timestamp: value },
      }),
      { key: value, value },
      { op: value, data: value },
      { op: 'I', data: [value], change_seq: '1' },
      { message: { data: value } },
    ]);
    const good = bareMessage({ data: { ID: 77, A: 1 } });
    const answer = await post(consumer, 'types', JSON.stringify([...places, good]));
    const counts = countsOf(answer);
    assert.deepEqual([answer.status, counts.received], [200, places.length + 1]);
    const rows = (await store.documents('rows')).filter(({ stream, id }) => stream === 'types' && id === '77');
    assert.deepEqual(
      rows.map(({ row }) => row),
      [{ ID: 77, A: 1 }],
    );
  });

  test('of 20,000 columns, of columns called `__proto__`, and nested deeply is kept or refused, column by column', async () => {
    const consumer = await consumerOn(store, 'odd', SETTINGS);
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`c${at}`, at]));
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    const body = [
      JSON.stringify(bareMessage({ data: { ID: 1, ...wide }, headers: { columnMask: 'F'.repeat(5_001) } })),
      JSON.stringify(bareMessage({ data: 'HERE' })).replace('"HERE"', '{"ID":2,"__proto__":"x","constructor":"y"}'),
      JSON.stringify(bareMessage({ data: 'HERE' })).replace('"HERE"', `{"ID":3,"a":${deep}}`),
    ].join('\n');
    assert.deepEqual(countsOf(await post(consumer, 'odd', body)), {
      received: 3,
      applied: 2,
      deadLettered: 1,
      reasons: ['undecodable'],
    });
    const odd = (await store.documents('rows')).find(({ stream, id }) => stream === 'odd' && id === '2');
    assert.deepEqual(Object.entries(odd?.row ?? {}).sort(), [
      ['ID', 2],
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});
