import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  EventHubConsumerClient,
  EventHubProducerClient,
  earliestEventPosition,
  type SubscribeOptions,
} from '@azure/event-hubs';
import { type Broker, startBroker } from '../../../local/eventhubs/broker.ts';
import { type Collector, collect, until } from './collector.ts';

describe('a partition with an owner level', () => {
  let broker: Broker;
  const consumers: EventHubConsumerClient[] = [];

  /** Receives with a client of its own: one client refuses to read a partition twice. */
  function collectAlone(partitionId: string, options: SubscribeOptions = {}): Collector {
    const consumer = new EventHubConsumerClient('$Default', broker.connectionString, 'hub');
    consumers.push(consumer);
    return collect(consumer, partitionId, earliestEventPosition, options);
  }

  before(async () => {
    broker = await startBroker({ hubs: [{ name: 'hub', partitions: 3 }] });
    const producer = new EventHubProducerClient(broker.connectionString, 'hub');
    for (const partitionId of ['0', '1', '2']) {
      await producer.sendBatch([{ body: 'first' }], { partitionId });
    }
    await producer.close();
  });
  after(async () => {
    await Promise.all(consumers.map((consumer) => consumer.close()));
    await broker.close();
  });

  test('is taken by a higher level, and the loser is told', async () => {
    const owner = collectAlone('0', { ownerLevel: 1 });
    await until('the owner to receive', () => owner.events.length === 1);
    const thief = collectAlone('0', { ownerLevel: 2 });
    await until('the thief to receive', () => thief.events.length === 1);
    await until('the owner to end', owner.closed);
    assert.deepEqual([owner.errors.map(({ code }) => code), thief.errors], [['ReceiverDisconnectedError'], []]);
    await owner.stop();
    await thief.stop();
  });

  for (const [index, level] of [0, undefined].entries()) {
    const partition = String(index + 1);
    test(`is refused to the owner level ${level}`, async () => {
      const owner = collectAlone(partition, { ownerLevel: 1 });
      await until('the owner to receive', () => owner.events.length === 1);
      const late = collectAlone(partition, level === undefined ? {} : { ownerLevel: level });
      await until('the newcomer to end', late.closed);
      assert.deepEqual(
        [late.errors.map(({ code }) => code), late.events, owner.errors, owner.closed()],
        [['ReceiverDisconnectedError'], [], [], false],
      );
      await late.stop();
      await owner.stop();
      const next = collectAlone(partition);
      await until('the partition to be free again', () => next.events.length === 1);
      await next.stop();
    });
  }
});
