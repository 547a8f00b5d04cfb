import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Container } from '@azure/cosmos';
import {
  BY_PARTITION,
  BY_TABLE_AND_KEY,
  type ConformanceTarget,
  createAll,
  openConformanceTarget,
} from './conformanceTarget.ts';

/** A hundred thousand in the long run, see `conformanceMany.long.test.ts`. */
const MANY = Number(process.env.TRIBUTARY_CONFORMANCE_DOCUMENTS ?? 10_000);
const TABLES = 10;

describe('pages', () => {
  let target: ConformanceTarget;
  let container: Container;
  before(async () => {
    target = await openConformanceTarget();
    container = await target.container(BY_PARTITION);
    const documents = Array.from({ length: 25 }, (_, n) => ({ id: String(n), pk: 'a', n }));
    await createAll(container, documents, ({ pk }) => [pk]);
  });
  after(() => target.close());

  const pages = async (query: string, maxItemCount: number): Promise<number[][]> => {
    const result: number[][] = [];
    const iterator = container.items.query<number>(query, { maxItemCount, partitionKey: 'a' });
    for await (const { resources } of iterator.getAsyncIterator()) result.push(resources);
    return result;
  };

  test('a page has at most the items that were asked for', async () => {
    const all = await pages('SELECT VALUE c.n FROM c', 10);
    assert.deepEqual(
      all.map((page) => page.length),
      [10, 10, 5],
    );
    assert.deepEqual(
      all.flat().sort((left, right) => left - right),
      Array.from({ length: 25 }, (_, n) => n),
    );
  });

  test('an order holds over all pages', async () => {
    const all = await pages('SELECT VALUE c.n FROM c ORDER BY c.n DESC', 10);
    assert.deepEqual(
      all.flat(),
      Array.from({ length: 25 }, (_, n) => 24 - n),
    );
  });

  test('TOP and OFFSET LIMIT hold over all pages', async () => {
    assert.equal((await pages('SELECT TOP 12 VALUE c.n FROM c', 5)).flat().length, 12);
    assert.equal((await pages('SELECT VALUE c.n FROM c OFFSET 3 LIMIT 12', 5)).flat().length, 12);
    const ordered = (await pages('SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 3 LIMIT 12', 5)).flat();
    assert.deepEqual(
      ordered,
      Array.from({ length: 12 }, (_, n) => n + 3),
    );
  });

  test('a continuation token goes on in another iterator, while documents come and go', async () => {
    const query = 'SELECT VALUE c.n FROM c WHERE c.n < 25';
    const options = { maxItemCount: 10, partitionKey: 'a' };
    const first = await container.items.query<number>(query, options).fetchNext();
    assert.ok(first.continuationToken);
    const [gone] = first.resources;
    await container.item(String(gone), 'a').delete();
    const { continuationToken } = first;
    const rest = await container.items.query<number>(query, { ...options, continuationToken }).fetchAll();
    await container.items.create({ id: String(gone), pk: 'a', n: Number(gone) });
    assert.deepEqual(
      [...first.resources, ...rest.resources].sort((left, right) => left - right),
      Array.from({ length: 25 }, (_, n) => n),
    );
  });

  test('a token that makes no sense is refused', async () => {
    const options = { continuationToken: 'nonsense', partitionKey: 'a' };
    await assert.rejects(container.items.query('SELECT * FROM c', options).fetchAll(), { code: 400 });
  });

  test(`one table of ten among ${MANY} documents is counted, summed and paged`, { timeout: 300_000 }, async () => {
    const rows = await target.container(BY_TABLE_AND_KEY);
    const documents = Array.from({ length: MANY }, (_, n) => {
      return { id: String(n), table: `t${n % TABLES}`, key: String(n), n };
    });
    await createAll(rows, documents, ({ table, key }) => [table, key]);
    const inTable = MANY / TABLES;
    const sum = Array.from({ length: inTable }, (_, n) => n * TABLES + 3).reduce((total, n) => total + n, 0);
    const across = {
      query: 'SELECT VALUE COUNT(1) FROM c WHERE c.table = @t',
      parameters: [{ name: '@t', value: 't3' }],
    };
    const count = async (query: string, partitionKey: string[]) => {
      return (await rows.items.query<number>(query, { partitionKey }).fetchAll()).resources;
    };
    assert.deepEqual((await rows.items.query<number>('SELECT VALUE COUNT(1) FROM c').fetchAll()).resources, [MANY]);
    assert.deepEqual((await rows.items.query<number>(across).fetchAll()).resources, [inTable]);
    assert.deepEqual(await count('SELECT VALUE COUNT(1) FROM c', ['t3']), [inTable]);
    assert.deepEqual(await count('SELECT VALUE SUM(c.n) FROM c', ['t3']), [sum]);
    const { resources } = await rows.items
      .query<number>({ ...across, query: 'SELECT VALUE c.n FROM c WHERE c.table = @t' }, { maxItemCount: 1000 })
      .fetchAll();
    assert.equal(new Set(resources).size, inTable);
    assert.ok(resources.every((n) => n % TABLES === 3));
  });
});
