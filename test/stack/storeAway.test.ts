import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CosmosGateway, startCosmosGateway } from '../../local/cosmos/gateway.ts';
import { renderJson } from '../../local/samples/render.ts';
import { shopEvents } from '../../local/samples/shop.ts';
import { ShopModel } from '../../local/samples/shopModel.ts';
import { modelOf, rowsByTable } from '../faults/modelRows.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';

const CHANGES = 200;

describe('while the store is away', () => {
  let folder: string;
  let gateway: CosmosGateway;
  let stack: TestStack;
  const healthStatus = async () => (await stack.get('/api/health')).status;

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

  test('events wait, health says so, and nothing is lost or doubled when it is back', async () => {
    assert.equal(await healthStatus(), 200);
    const { port } = new URL(gateway.endpoint);
    await gateway.close();
    const model = new ShopModel('ces');
    const events = [...shopEvents({ seed: 3, changes: CHANGES })];
    for (const event of events) model.apply(event);
    await stack.send(events.map((event) => renderJson(event)));
    assert.equal(await eventually(healthStatus, (status) => status === 503, { patienceMs: 10_000 }), 503);

    gateway = await startCosmosGateway({ port: Number(port), file: join(folder, 'cosmos.sqlite') });
    const expected = modelOf(model);
    const rows = await eventually(
      async () => rowsByTable(await stack.rows()),
      (found) => JSON.stringify(found) === JSON.stringify(expected),
      { patienceMs: 60_000, pollMs: 500 },
    );
    assert.deepEqual(rows, expected);
    assert.equal((await stack.documents('changes')).length, CHANGES);
    assert.deepEqual(await stack.documents('deadletters'), []);
    assert.equal(await healthStatus(), 200);
  });
});
