import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Container } from '@azure/cosmos';
import {
  BY_TABLE_AND_KEY,
  type ConformanceTarget,
  createAll,
  openConformanceTarget,
  statusOf,
} from './conformanceTarget.ts';

const DOCUMENTS = [
  { id: 'same', table: 'T1', key: 'K1', n: 1 },
  { id: 'same', table: 'T1', key: 'K2', n: 2 },
  { id: 'same', table: 'T2', key: 'K1', n: 3 },
  { id: 'other', table: 'T1', key: 'K1', n: 4 },
];

describe('hierarchical partition keys', () => {
  let target: ConformanceTarget;
  let container: Container;
  before(async () => {
    target = await openConformanceTarget();
    container = await target.container(BY_TABLE_AND_KEY);
    await createAll(container, DOCUMENTS, ({ table, key }) => [table, key]);
  });
  after(() => target.close());

  const numbers = async (query: string, partitionKey?: string[]): Promise<number[]> => {
    const options = partitionKey === undefined ? {} : { partitionKey };
    const { resources } = await container.items.query<number>(query, options).fetchAll();
    return resources.sort();
  };

  test('documents of equal id under different second levels are different documents', async () => {
    const read = async (key: string[]) => (await container.item('same', key).read()).resource?.n;
    assert.deepEqual([await read(['T1', 'K1']), await read(['T1', 'K2']), await read(['T2', 'K1'])], [1, 2, 3]);
    assert.equal((await container.item('same', ['T2', 'K2']).read()).statusCode, 404);
  });

  test('a query by the whole key sees one logical partition', async () => {
    assert.deepEqual(await numbers('SELECT VALUE c.n FROM c', ['T1', 'K1']), [1, 4]);
  });

  test('a query by the first level sees everything below it', async () => {
    assert.deepEqual(await numbers('SELECT VALUE c.n FROM c', ['T1']), [1, 2, 4]);
    assert.deepEqual(await numbers("SELECT VALUE c.n FROM c WHERE c.id = 'same'", ['T1']), [1, 2]);
  });

  test('a query across partitions filters by either level', async () => {
    assert.deepEqual(await numbers("SELECT VALUE c.n FROM c WHERE c.table = 'T1'"), [1, 2, 4]);
    assert.deepEqual(await numbers("SELECT VALUE c.n FROM c WHERE c.key = 'K1'"), [1, 3, 4]);
    assert.deepEqual(await numbers("SELECT VALUE c.n FROM c WHERE 'T1' = c.table AND c.key IN ('K2', 'K3')"), [2]);
  });

  test('a replace, a patch and a delete touch only the document of the whole key', async () => {
    await createAll(
      container,
      ['X1', 'X2', 'X3'].map((key) => ({ id: 'one', table: 'T3', key, n: 0 })),
      ({ table, key }) => [table, key],
    );
    await container.item('one', ['T3', 'X1']).replace({ id: 'one', table: 'T3', key: 'X1', n: 7 });
    await container.item('one', ['T3', 'X2']).patch([{ op: 'incr', path: '/n', value: 5 }]);
    await container.item('one', ['T3', 'X3']).delete();
    assert.deepEqual(await numbers('SELECT VALUE c.n FROM c', ['T3']), [5, 7]);
  });

  test('a point operation by a prefix of the key is refused', async () => {
    assert.equal(await statusOf(container.item('same', ['T1']).delete()), 400);
  });

  test('a batch stays within one whole key', async () => {
    const { result } = await container.items.batch(
      [
        { operationType: 'Create', resourceBody: { id: 'b1', table: 'T4', key: 'B' } },
        { operationType: 'Create', resourceBody: { id: 'b2', table: 'T4', key: 'other' } },
      ],
      ['T4', 'B'],
    );
    assert.deepEqual(
      result?.map((operation) => operation.statusCode),
      [424, 400],
    );
    assert.deepEqual(await numbers('SELECT VALUE c.id FROM c', ['T4']), []);
  });
});
