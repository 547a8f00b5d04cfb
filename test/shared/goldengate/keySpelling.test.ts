import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { GoldenGateStream } from '../../../shared/config.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { classic, METADATA, record, SCHEMA } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const newStream = (settings?: Partial<GoldenGateStream>) => newStreamOn(store, settings);

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
