import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { cloudEvent, METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

/** Names that CloudEvents, other envelopes and JSON Schemas have members of, and one that nothing else has. */
const NAMES = [
  'type',
  'id',
  'source',
  'subject',
  'key',
  'value',
  'payload',
  'schema',
  'title',
  'properties',
  'operation',
];
const SMUGGLED = { ...record('INSERT', 2, { after: { ID: 9 } }) };

function renamed({ op_type, ...rest }: ReturnType<typeof record>, name: string, columns: object = {}) {
  return { ...rest, ...columns, [name]: op_type };
}

describe('in a stream that calls its operations by another name', () => {
  test('a row with the columns of an envelope is a row', async () => {
    for (const name of NAMES) {
      const { post, rows } = await newStreamOn(store, { fields: { op_type: name }, keys: { 'S.T': ['ID'] } });
      for (const [ID, data] of [JSON.stringify(SMUGGLED), SMUGGLED, 'x', null].entries()) {
        const columns = { ID, specversion: '1.0', source: '/x', data };
        const { [name]: _, ...row } = columns as { [column: string]: unknown };
        assert.deepEqual(await post(renamed(record('INSERT', 1, {}), name, row)), { applied: 1 }, name);
        assert.deepEqual((await rows())[ID], row);
      }
      assert.deepEqual(Object.keys(await rows()), ['0', '1', '2', '3']);
    }
  });

  test('a record in an envelope is taken out of it, also where that has a member of the name', async () => {
    for (const name of NAMES) {
      const { post, rows } = await newStreamOn(store, { fields: { op_type: name }, keys: { 'S.T': ['ID'] } });
      const sent = (ID: number) => renamed(record('INSERT', 1, { after: { ID } }), name);
      const envelopes = [
        cloudEvent('OGG-1', sent(1)),
        cloudEvent('OGG-2', [sent(2)]),
        { key: 'k', value: sent(3) },
        { schema: null, payload: sent(4) },
        { ...cloudEvent('OGG-3', {}), subject: 's', data: JSON.stringify(sent(5)) },
      ];
      assert.deepEqual(await post(envelopes), { applied: 5 }, name);
      assert.deepEqual(await rows(), { 1: { ID: 1 }, 2: { ID: 2 }, 3: { ID: 3 }, 4: { ID: 4 }, 5: { ID: 5 } });
    }
  });

  test('a schema and metadata of the default names are what they are', async () => {
    const schema = {
      id: 'urn:x:dml:S.T',
      $schema: 'http://json-schema.org/draft-04/schema#',
      title: 't',
      type: 'object',
      properties: { after: { type: 'object', properties: { ID: { type: 'integer' } } } },
    };
    for (const name of [...NAMES, '$schema']) {
      const { post, rows } = await newStreamOn(store, { fields: { op_type: name } });
      const sent = renamed(record('INSERT', 1, { after: { ID: 1 } }), name);
      assert.deepEqual(await post([schema, METADATA, sent]), { catalog: 2, applied: 1 }, name);
      assert.deepEqual(await rows(), { 1: { ID: 1 } });
    }
  });
});
