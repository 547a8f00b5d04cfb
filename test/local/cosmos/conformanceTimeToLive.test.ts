import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from '@azure/cosmos';
import { BY_PARTITION, type ConformanceTarget, openConformanceTarget, statusOf } from './conformanceTarget.ts';

const SECOND_MS = 1000;
/** The service counts time to live in whole seconds. */
const AFTER_ONE_SECOND_MS = process.env.TRIBUTARY_COSMOS_ENDPOINT === undefined ? 1100 : 3000;

describe('time to live', { concurrency: true }, () => {
  let target: ConformanceTarget;
  before(async () => {
    target = await openConformanceTarget();
  });
  after(() => target.close());

  const idsIn = async (container: Container): Promise<string[]> => {
    const { resources } = await container.items.query<string>('SELECT VALUE c.id FROM c').fetchAll();
    return resources.sort();
  };

  test('expired documents are invisible to reads, queries, counts and writes', async () => {
    const container = await target.container({ ...BY_PARTITION, defaultTtl: -1 });
    await container.items.create({ id: 'brief', pk: 'a', ttl: 2 });
    await container.items.create({ id: 'long', pk: 'a', ttl: 3600 });
    await container.items.create({ id: 'eternal', pk: 'a' });
    assert.deepEqual(await idsIn(container), ['brief', 'eternal', 'long']);
    await sleep(SECOND_MS + AFTER_ONE_SECOND_MS);
    assert.deepEqual(await idsIn(container), ['eternal', 'long']);
    const { resources } = await container.items.query('SELECT VALUE COUNT(1) FROM c').fetchAll();
    assert.deepEqual(resources, [2]);
    assert.equal((await container.item('brief', 'a').read()).statusCode, 404);
    assert.equal(await statusOf(container.item('brief', 'a').delete()), 404);
    assert.equal(await statusOf(container.items.create({ id: 'brief', pk: 'a' })), 201);
  });

  test('the default of the container applies unless a document says otherwise', async () => {
    const container = await target.container({ ...BY_PARTITION, defaultTtl: 1 });
    await container.items.create({ id: 'default', pk: 'a' });
    await container.items.create({ id: 'own', pk: 'a', ttl: 3600 });
    await container.items.create({ id: 'never', pk: 'a', ttl: -1 });
    await sleep(AFTER_ONE_SECOND_MS);
    assert.deepEqual(await idsIn(container), ['never', 'own']);
  });

  test("without a container's default a document's ttl means nothing, until one is set", async () => {
    const container = await target.container(BY_PARTITION);
    await container.items.create({ id: 'brief', pk: 'a', ttl: 1 });
    await container.items.create({ id: 'plain', pk: 'a' });
    await sleep(AFTER_ONE_SECOND_MS);
    assert.deepEqual(await idsIn(container), ['brief', 'plain']);
    await container.replace({ id: container.id, partitionKey: { paths: ['/pk'] }, defaultTtl: -1 });
    assert.deepEqual(await idsIn(container), ['plain']);
  });

  test('a write starts the time anew', async () => {
    const container = await target.container({ ...BY_PARTITION, defaultTtl: 1 });
    await container.items.create({ id: 'kept', pk: 'a' });
    await container.items.upsert({ id: 'kept', pk: 'a', ttl: 3600 });
    await sleep(AFTER_ONE_SECOND_MS);
    assert.deepEqual(await idsIn(container), ['kept']);
  });

  test('a ttl of 0 is refused', async () => {
    const container = await target.container({ ...BY_PARTITION, defaultTtl: -1 });
    assert.equal(await statusOf(container.items.create({ id: 'zero', pk: 'a', ttl: 0 })), 400);
  });
});
