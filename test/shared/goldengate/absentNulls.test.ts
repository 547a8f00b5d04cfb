import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Columns } from '../../../shared/change/json.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { METADATA, record, SCHEMA } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const newStream = () => newStreamOn(store, { absent: 'null', keys: { 'S.T': ['ID'] } });

const flat = (prefix: string, image: object) =>
  Object.fromEntries(Object.entries(image).map(([name, value]) => [`${prefix}.${name}`, value]));

const layouts: readonly [string, (image: object) => object][] = [
  ['nested', (image) => ({ after: image })],
  ['nested, with an image of before', (image) => ({ before: image, after: image })],
  ['flattened', (image) => flat('after', image)],
  ['flattened, with an image of before', (image) => ({ ...flat('before', image), ...flat('after', image) })],
  ['of the row model', (image) => image],
];

const declared = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { type: name.endsWith('_isMissing') ? 'boolean' : 'string' }]));

describe('a stream that leaves nulls out', () => {
  for (const [name, layout] of layouts) {
    test(`keeps columns that a helper calls missing as they were, in records ${name}`, async () => {
      const updates = [
        { ID: 0, A: null, A_isMissing: true },
        { ID: 1, A: null, A_isMissing: 'true' },
        // Both the null and the missing column are left out, and their helpers are not.
        { ID: 2, A_isMissing: true, B_isMissing: false },
      ];
      const { post, rows } = await newStream();
      await post([METADATA, ...updates.map((_, ID) => record('INSERT', 1, layout({ ID, A: 'a', B: 'b' })))]);
      await post(updates.map((update) => record('UPDATE', 2, layout(update))));
      const kept = Object.values(await rows()).map((row) => [(row as Columns).A, (row as Columns).B]);
      assert.deepEqual(kept, Array(3).fill(['a', null]));
    });
  }

  test('has them null by the schema of the table, where there is no metadata', async () => {
    const image = { type: 'object', properties: declared('ID', 'A', 'A_isMissing', 'B') };
    const schemas: readonly [object, (image: object) => object][] = [
      [{ before: image, after: image }, (columns) => ({ after: columns })],
      [declared('after.ID', 'after.A', 'after.B'), (columns) => flat('after', columns)],
      [{ ...declared('qual_table', 'op_type', 'op_ts', 'pos', 'csn'), ...image.properties }, (columns) => columns],
    ];
    for (const [properties, layout] of schemas) {
      const { post, rows } = await newStream();
      await post([{ ...SCHEMA, properties }, record('INSERT', 1, layout({ ID: '1', A: 'a', B: 'b' }))]);
      await post(record('UPDATE', 2, layout({ ID: '1', B: 'c' })));
      assert.deepEqual(await rows(), { 1: { ID: '1', A: null, B: 'c' } });
    }
  });

  test('has no field null that the schema of its rows calls by its default name', async () => {
    const { post, rows } = await newStreamOn(store, {
      absent: 'null',
      keys: { 'S.T': ['ID'] },
      fields: { op_type: 'op', csn: 'scn' },
    });
    const { op_type: op, ...insert } = record('INSERT', 1, { ID: '1' });
    await post([
      { ...SCHEMA, properties: declared('op_type', 'csn', 'ID', 'A') },
      { ...insert, op },
    ]);
    assert.deepEqual(await rows(), { 1: { ID: '1', A: null } });
  });

  test('believes the metadata rather than the schema', async () => {
    const { post, rows } = await newStream();
    const properties = { after: { type: 'object', properties: declared('ID', 'GONE') } };
    await post([METADATA, { ...SCHEMA, properties }, record('INSERT', 1, { after: { ID: '1', B: 'b' } })]);
    assert.deepEqual(await rows(), { 1: { ID: '1', A: null, B: 'b' } });
  });

  test('has unknown what nothing names', async () => {
    for (const [, layout] of layouts) {
      const { post, rows } = await newStream();
      await post(record('INSERT', 1, layout({ ID: 1, A: 'a', B: 'b' })));
      await post(record('UPDATE', 2, layout({ ID: 1, B: 'c' })));
      assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a', B: 'c' } });
    }
  });
});
