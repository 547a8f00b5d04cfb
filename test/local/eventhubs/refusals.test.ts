import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EventHubConsumerClient, EventHubProducerClient, earliestEventPosition } from '@azure/event-hubs';
import { type Broker, startBroker } from '../../../local/eventhubs/broker.ts';
import { collect, until } from './collector.ts';

const NOT_FOUND = { code: 'MessagingEntityNotFoundError', retryable: false };
const NO_PARTITION = { code: 'ArgumentOutOfRangeError', retryable: false };

describe('the client fails clearly, and once, when', () => {
  let broker: Broker;

  before(async () => {
    broker = await startBroker({ hubs: [{ name: 'hub' }] });
  });
  after(() => broker.close());

  test('it sends to a hub or partition that does not exist', async () => {
    const unknown = new EventHubProducerClient(broker.connectionString, 'other');
    await assert.rejects(unknown.sendBatch([{ body: 1 }]), NOT_FOUND);
    await assert.rejects(unknown.getEventHubProperties(), NOT_FOUND);
    await assert.rejects(unknown.getPartitionProperties('0'), NOT_FOUND);
    await unknown.close();
    const producer = new EventHubProducerClient(broker.connectionString, 'hub');
    for (const partitionId of ['4', '-1', 'x', '00']) {
      await assert.rejects(producer.sendBatch([{ body: 1 }], { partitionId }), NO_PARTITION);
      await assert.rejects(producer.getPartitionProperties(partitionId), NO_PARTITION);
    }
    await producer.sendBatch([{ body: 1 }], { partitionId: '3' });
    await producer.close();
  });

  for (const [what, group, hub, partition, position, expected] of [
    ['a hub that does not exist', '$Default', 'other', '0', earliestEventPosition, 'MessagingEntityNotFoundError'],
    ['a consumer group that does not exist', 'none', 'hub', '0', earliestEventPosition, 'MessagingEntityNotFoundError'],
    ['a partition that does not exist', '$Default', 'hub', '9', earliestEventPosition, 'ArgumentOutOfRangeError'],
    ['an offset beyond the end', '$Default', 'hub', '0', { offset: '5' }, 'ArgumentError'],
    ['a sequence number beyond the end', '$Default', 'hub', '0', { sequenceNumber: 5 }, 'ArgumentError'],
  ] as const) {
    test(`it receives from ${what}`, async () => {
      const consumer = new EventHubConsumerClient(group, broker.connectionString, hub);
      const collector = collect(consumer, partition, position);
      await until('the subscription to end', collector.closed);
      assert.deepEqual(
        collector.errors.map(({ code }) => code),
        [expected],
      );
      await collector.stop();
      await consumer.close();
    });
  }
});
