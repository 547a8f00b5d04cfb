import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CosmosClient } from '@azure/cosmos';
import {
  BY_PARTITION,
  BY_TABLE_AND_KEY,
  type ConformanceTarget,
  openConformanceTarget,
  statusOf,
} from './conformanceTarget.ts';

describe('databases and containers', () => {
  let target: ConformanceTarget;
  before(async () => {
    target = await openConformanceTarget();
  });
  after(() => target.close());

  test('an account is found', async () => {
    const { resource } = await target.client.getDatabaseAccount();
    assert.equal(resource?.consistencyPolicy, 'Session');
  });

  test('a database is created once, listed, read and deleted', async () => {
    const id = `${target.database.id}-second`;
    assert.equal((await target.client.databases.createIfNotExists({ id })).statusCode, 201);
    assert.equal((await target.client.databases.createIfNotExists({ id })).statusCode, 200);
    assert.equal(await statusOf(target.client.databases.create({ id })), 409);
    const { resources } = await target.client.databases.readAll().fetchAll();
    assert.ok(resources.some((database) => database.id === id));
    assert.equal((await target.client.database(id).delete()).statusCode, 204);
    assert.equal(await statusOf(target.client.database(id).read()), 404);
  });

  test('a container keeps its hierarchical partition key, time to live and indexing policy', async () => {
    const indexingPolicy = {
      indexingMode: 'consistent' as const,
      automatic: true,
      includedPaths: [{ path: '/*' }],
      excludedPaths: [{ path: '/row/*' }, { path: '/"_etag"/?' }],
    };
    const container = await target.container({ ...BY_TABLE_AND_KEY, defaultTtl: 600, indexingPolicy });
    const { resource } = await container.read();
    assert.deepEqual(
      { partitionKey: resource?.partitionKey, defaultTtl: resource?.defaultTtl, policy: resource?.indexingPolicy },
      {
        partitionKey: { paths: ['/table', '/key'], kind: 'MultiHash', version: 2 },
        defaultTtl: 600,
        policy: indexingPolicy,
      },
    );
  });

  test('a container is created once and listed', async () => {
    const container = await target.container(BY_PARTITION);
    const { id } = container;
    assert.equal((await target.database.containers.createIfNotExists({ id, ...BY_PARTITION })).statusCode, 200);
    assert.equal(await statusOf(target.database.containers.create({ id, ...BY_PARTITION })), 409);
    const { resources } = await target.database.containers.readAll().fetchAll();
    assert.ok(resources.some((definition) => definition.id === id));
    assert.equal((await container.delete()).statusCode, 204);
    assert.equal(await statusOf(container.read()), 404);
  });

  test('replacing a container changes its time to live and nothing of its partition key', async () => {
    const container = await target.container(BY_PARTITION);
    const { resource: before } = await container.read();
    assert.ok(before?.partitionKey);
    const { partitionKey } = before;
    const replaced = await container.replace({ id: container.id, partitionKey, defaultTtl: -1 });
    assert.equal(replaced.resource?.defaultTtl, -1);
    const moved = { id: container.id, partitionKey: { ...partitionKey, paths: ['/other'] } };
    assert.equal(await statusOf(container.replace(moved)), 400);
  });

  test('what is in a container that does not exist is not found', async () => {
    const missing = target.database.container('missing');
    assert.equal(await statusOf(missing.items.create({ id: '1', pk: 'a' })), 404);
    await assert.rejects(missing.items.query('SELECT * FROM c').fetchAll(), { code: 404 });
  });

  test('a request signed with another key is unauthorised', async () => {
    const endpoint = process.env.TRIBUTARY_COSMOS_ENDPOINT ?? (await target.client.getWriteEndpoint());
    const key = Buffer.from('not the key of this account').toString('base64');
    const stranger = new CosmosClient({ endpoint, key, connectionPolicy: { enableEndpointDiscovery: false } });
    assert.equal(await statusOf(stranger.database(target.database.id).read()), 401);
    stranger.dispose();
  });
});
