import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Container, OperationInput } from '@azure/cosmos';
import { BY_PARTITION, type ConformanceTarget, openConformanceTarget } from './conformanceTarget.ts';

describe('batches', () => {
  let target: ConformanceTarget;
  let container: Container;
  before(async () => {
    target = await openConformanceTarget();
    container = await target.container(BY_PARTITION);
  });
  after(() => target.close());

  const idsIn = async (partitionKey: string): Promise<string[]> => {
    const { resources } = await container.items.query<string>('SELECT VALUE c.id FROM c', { partitionKey }).fetchAll();
    return resources.sort();
  };

  test('a transactional batch applies all its operations in order', async () => {
    const { code, result } = await container.items.batch(
      [
        { operationType: 'Create', resourceBody: { id: '1', pk: 'all', n: 1 } },
        { operationType: 'Upsert', resourceBody: { id: '2', pk: 'all', n: 2 } },
        { operationType: 'Replace', id: '1', resourceBody: { id: '1', pk: 'all', n: 10 } },
        { operationType: 'Patch', id: '2', resourceBody: { operations: [{ op: 'incr', path: '/n', value: 5 }] } },
        { operationType: 'Read', id: '2' },
        { operationType: 'Delete', id: '1' },
      ],
      'all',
    );
    assert.equal(code, 200);
    assert.deepEqual(
      result?.map(({ statusCode, resourceBody }) => [statusCode, resourceBody?.n]),
      [
        [201, 1],
        [201, 2],
        [200, 10],
        [200, 7],
        [200, 7],
        [204, undefined],
      ],
    );
    assert.deepEqual(await idsIn('all'), ['2']);
  });

  test('a transactional batch that fails changes nothing and names the culprit', async () => {
    await container.items.create({ id: 'there', pk: 'roll', n: 1 });
    const { code, result } = await container.items.batch(
      [
        { operationType: 'Create', resourceBody: { id: 'new', pk: 'roll' } },
        { operationType: 'Upsert', resourceBody: { id: 'there', pk: 'roll', n: 2 } },
        { operationType: 'Create', resourceBody: { id: 'there', pk: 'roll' } },
        { operationType: 'Delete', id: 'there' },
      ],
      'roll',
    );
    assert.equal(code, 207);
    assert.deepEqual(
      result?.map((operation) => operation.statusCode),
      [424, 424, 409, 424],
    );
    assert.deepEqual(await idsIn('roll'), ['there']);
    assert.equal((await container.item('there', 'roll').read()).resource?.n, 1);
  });

  test('a transactional batch honours etags', async () => {
    const { etag } = await container.items.create({ id: 'tagged', pk: 'tags', n: 1 });
    const replace = (n: number): OperationInput[] => [
      { operationType: 'Replace', id: 'tagged', ifMatch: etag, resourceBody: { id: 'tagged', pk: 'tags', n } },
    ];
    const statuses = async (n: number) => (await container.items.batch(replace(n), 'tags')).result?.[0]?.statusCode;
    assert.deepEqual([await statuses(2), await statuses(3)], [200, 412]);
  });

  test('a transactional batch above two megabytes is refused', async () => {
    const text = 'x'.repeat(800_000);
    const operations = ['1', '2', '3'].map((id): OperationInput => {
      return { operationType: 'Create', resourceBody: { id, pk: 'big', text } };
    });
    await assert.rejects(container.items.batch(operations, 'big'), /too large|413/i);
    assert.deepEqual(await idsIn('big'), []);
  });

  const MIXED: OperationInput[] = [
    { operationType: 'Create', partitionKey: 'm1', resourceBody: { id: 'a', pk: 'm1' } },
    { operationType: 'Create', partitionKey: 'm1', resourceBody: { id: 'a', pk: 'm1' } },
    { operationType: 'Upsert', partitionKey: 'm2', resourceBody: { id: 'a', pk: 'm2' } },
    { operationType: 'Replace', partitionKey: 'm2', id: 'missing', resourceBody: { id: 'missing', pk: 'm2' } },
    { operationType: 'Delete', partitionKey: 'm2', id: 'missing' },
    { operationType: 'Replace', partitionKey: 'm2', id: 'a', ifMatch: '"0"', resourceBody: { id: 'a', pk: 'm2' } },
    { operationType: 'Read', partitionKey: 'm2', id: 'a' },
    { operationType: 'Patch', partitionKey: 'm2', id: 'a', resourceBody: [{ op: 'add', path: '/n', value: 1 }] },
    { operationType: 'Delete', partitionKey: 'm1', id: 'a' },
  ];
  const MIXED_CODES = [201, 409, 201, 404, 404, 412, 200, 200, 204];

  test('a bulk request answers for each operation', async () => {
    const results = await container.items.bulk(structuredClone(MIXED));
    assert.deepEqual(
      results.map((result) => result.statusCode),
      MIXED_CODES,
    );
    assert.deepEqual(results[6]?.resourceBody?.id, 'a');
    assert.deepEqual(results[7]?.resourceBody?.n, 1);
    assert.ok(results[0]?.eTag);
    await container.item('a', 'm2').delete();
  });

  test('executeBulkOperations answers for each operation', async () => {
    const results = await container.items.executeBulkOperations(structuredClone(MIXED));
    assert.deepEqual(
      results.map((result) => result.response?.statusCode ?? result.error?.code),
      MIXED_CODES,
    );
  });

  test('a bulk request that must not continue stops at its first failure', async () => {
    const operations: OperationInput[] = ['1', '1', '2'].map((id) => {
      return { operationType: 'Create', partitionKey: 'stop', resourceBody: { id, pk: 'stop' } };
    });
    const results = await container.items.bulk(operations, { continueOnError: false });
    assert.deepEqual(
      results.map((result) => result.statusCode),
      [201, 409, 424],
    );
    assert.deepEqual(await idsIn('stop'), ['1']);
  });
});
