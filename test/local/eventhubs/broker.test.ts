import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EventHubConsumerClient, EventHubProducerClient, earliestEventPosition } from '@azure/event-hubs';
import { BrokerStartError, startBroker } from '../../../local/eventhubs/broker.ts';
import { HubConfigError } from '../../../local/eventhubs/errors.ts';
import { receive, until } from './collector.ts';

describe('a broker', () => {
  test('describes its hubs and partitions', async () => {
    await using broker = await disposable({ hubs: [{ name: 'Ces' }] });
    const producer = new EventHubProducerClient(broker.connectionString, 'ces');
    const { name, partitionIds, createdOn } = await producer.getEventHubProperties();
    assert.deepEqual({ name, partitionIds }, { name: 'Ces', partitionIds: ['0', '1', '2', '3'] });
    assert.ok(Math.abs(Date.now() - createdOn.getTime()) < 60_000);

    const before = await producer.getPartitionProperties('2');
    assert.deepEqual(before, {
      beginningSequenceNumber: 0,
      eventHubName: 'Ces',
      lastEnqueuedOffset: '-1',
      lastEnqueuedOnUtc: new Date(0),
      lastEnqueuedSequenceNumber: -1,
      partitionId: '2',
      isEmpty: true,
    });
    await producer.sendBatch([{ body: 1 }, { body: 2 }], { partitionId: '2' });
    const { lastEnqueuedOffset, lastEnqueuedOnUtc, ...rest } = await producer.getPartitionProperties('2');
    assert.deepEqual(rest, {
      beginningSequenceNumber: 0,
      eventHubName: 'Ces',
      lastEnqueuedSequenceNumber: 1,
      partitionId: '2',
      isEmpty: false,
    });
    assert.ok(Number(lastEnqueuedOffset) > 0 && lastEnqueuedOnUtc.getTime() > 0);
    await producer.close();
  });

  test('keeps several hubs apart, and takes new ones while it runs', async () => {
    await using broker = await disposable({ hubs: [{ name: 'a', partitions: 1 }] });
    broker.addHub({ name: 'b', partitions: 2 });
    assert.throws(() => broker.addHub({ name: 'B' }), HubConfigError);
    for (const hub of ['a', 'b']) {
      const producer = new EventHubProducerClient(broker.connectionString, hub);
      await producer.sendBatch([{ body: `to ${hub}` }], { partitionId: '0' });
      await producer.close();
      const consumer = new EventHubConsumerClient('$Default', broker.connectionString, hub);
      const events = await receive(consumer, '0', earliestEventPosition, 1);
      assert.deepEqual(
        events.map(({ body }) => body),
        [`to ${hub}`],
      );
      await consumer.close();
    }
  });

  test('cannot start on a port that is taken', async () => {
    await using broker = await disposable({ hubs: [] });
    await assert.rejects(startBroker({ port: broker.port, hubs: [] }), BrokerStartError);
  });

  test('frees its port and ends its clients when it closes', async () => {
    const broker = await startBroker({ hubs: [{ name: 'a' }] });
    const producer = new EventHubProducerClient(broker.connectionString, 'a');
    await producer.getPartitionIds();
    await broker.close();
    const next = await startBroker({ port: broker.port, hubs: [{ name: 'a', partitions: 2 }] });
    // A client that is still busy with the end of its old connection fails once.
    const reconnected = (): Promise<string[]> => producer.getPartitionIds().catch(() => []);
    await until('the client to connect again', async () => (await reconnected()).join() === '0,1');
    await producer.close();
    await next.close();
  });
});

async function disposable(options: Parameters<typeof startBroker>[0]) {
  const broker = await startBroker(options);
  return { ...broker, [Symbol.asyncDispose]: () => broker.close() };
}
