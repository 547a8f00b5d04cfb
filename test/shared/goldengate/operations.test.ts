import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { classic, METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

describe('an operation', () => {
  const labels = [
    ['I', 'insert'],
    ['INSERT', 'insert'],
    ['U', 'update'],
    ['UPDATE', 'update'],
    ['UPSERT', 'upsert'],
    ['D', 'delete'],
    ['DELETE', 'delete'],
    ['T', 'truncate'],
    ['TRUNCATE', 'truncate'],
    ['DDL', 'ddl'],
  ] as const;

  test('goes by the letters and the words of both families, whatever their case', async () => {
    const { post, of } = await newStreamOn(store);
    await post(METADATA);
    const spelled = labels.flatMap(([label, op]) => [label, label.toLowerCase()].map((each) => [each, op] as const));
    const object = { schema: 'S', object: 'T' };
    await post(spelled.map(([label], second) => record(label, second, { after: { ID: 1 }, ddl: { object } })));
    const found = (await of('changes')).map(({ op, origin }) => [(origin as { op_type: string }).op_type, op]);
    assert.deepEqual(found.sort(), spelled.map((each) => [...each]).sort());
  });

  test('UPSERT merges what it has into the row, which need not be there', async () => {
    const { post, rows, of } = await newStreamOn(store);
    const frame = [
      METADATA,
      record('UPSERT', 1, { after: { ID: 1, A: 'a' } }),
      record('UPSERT', 2, { before: { ID: 1, A: 'a' }, after: { ID: 1, B: 'b' } }),
      record('UPSERT', 3, { before: { ID: 1 }, after: { ID: 2 } }),
      classic('UPSERT', '4', { ID: 3, A: 'row model' }),
    ];
    assert.deepEqual(await post(frame), { catalog: 1, applied: 4 });
    assert.deepEqual(await rows(), {
      1: 'deleted',
      2: { ID: 2, A: 'a', B: 'b' },
      3: { ID: 3, A: 'row model' },
    });
    assert.deepEqual((await of('changes')).map(({ key, op, image }) => `${key} ${op} ${image}`).sort(), [
      '1 delete none',
      '1 upsert partial',
      '1 upsert partial',
      '2 upsert partial',
      '3 upsert partial',
    ]);
  });
});
