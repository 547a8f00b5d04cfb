import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CosmosGateway, startCosmosGateway } from '../../local/cosmos/gateway.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';

const WITHIN_MS = 10_000;

describe('health', () => {
  let folder: string;
  let gateway: CosmosGateway;
  let stack: TestStack;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-'));
    gateway = await startCosmosGateway({ file: join(folder, 'cosmos.sqlite') });
    stack = await startTestStack({}, { cosmosEndpoint: gateway.endpoint, cosmosKey: gateway.key });
  });
  after(async () => {
    await stack.close();
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  test('is 503 within ten seconds of the end of Cosmos DB, others say when to ask again, and 200 when it returns', async () => {
    const { functionKey } = stack.description;
    const health = async () => (await stack.get('/api/health')).status;
    assert.equal(await health(), 200);
    const { port } = new URL(gateway.endpoint);
    await gateway.close();
    const started = Date.now();
    assert.equal(await eventually(health, (status) => status === 503, { patienceMs: WITHIN_MS }), 503);
    assert.ok(Date.now() - started < WITHIN_MS, `${Date.now() - started} ms`);
    for (const path of ['status', 'tables', 'deadletters', 'rows?table=x']) {
      const answer = await stack.get(`/api/${path}`, functionKey);
      assert.deepEqual([path, answer.status, answer.headers.get('retry-after')], [path, 503, '5']);
    }
    gateway = await startCosmosGateway({ port: Number(port), file: join(folder, 'cosmos.sqlite') });
    assert.equal(await eventually(health, (status) => status === 200, { patienceMs: WITHIN_MS }), 200);
  });
});
