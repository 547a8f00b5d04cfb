import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, before, describe, test } from 'node:test';
import {
  EventHubConsumerClient,
  EventHubProducerClient,
  type EventPosition,
  earliestEventPosition,
  latestEventPosition,
} from '@azure/event-hubs';
import { type Broker, startBroker } from '../../../local/eventhubs/broker.ts';
import { collect, receive, until } from './collector.ts';

const COUNT = 10;

describe('a receiver', () => {
  let broker: Broker;
  let producer: EventHubProducerClient;
  let consumer: EventHubConsumerClient;
  const offsets: string[] = [];
  let middleTime = new Date();

  before(async () => {
    broker = await startBroker({
      hubs: [
        { name: 'hub', consumerGroups: ['second'] },
        { name: 'live', partitions: 1 },
      ],
    });
    producer = new EventHubProducerClient(broker.connectionString, 'hub');
    consumer = new EventHubConsumerClient('$Default', broker.connectionString, 'hub');
    for (let body = 0; body < COUNT; body += 1) {
      await producer.sendBatch([{ body }], { partitionId: '0' });
      if (body === 4) {
        middleTime = (await producer.getPartitionProperties('0')).lastEnqueuedOnUtc;
        // The next event must come in a later millisecond.
        await until('the clock to move', () => Date.now() > middleTime.getTime());
      }
    }
    offsets.push(...(await receive(consumer, '0', earliestEventPosition, COUNT)).map(({ offset }) => offset));
  });

  after(async () => {
    await producer.close();
    await consumer.close();
    await broker.close();
  });

  for (const [name, position, first] of [
    ['the earliest event', () => earliestEventPosition, 0],
    ['a sequence number gets only newer events', () => ({ sequenceNumber: 3 }), 4],
    ['a sequence number, inclusive, gets that event too', () => ({ sequenceNumber: 3, isInclusive: true }), 3],
    ['an offset gets only newer events', () => ({ offset: offsets[6] ?? '' }), 7],
    ['an offset, inclusive, gets that event too', () => ({ offset: offsets[6] ?? '', isInclusive: true }), 6],
    ['an enqueued time gets only events after it', () => ({ enqueuedOn: middleTime }), 5],
  ] satisfies [string, () => EventPosition, number][]) {
    test(`from ${name}`, async () => {
      const events = await receive(consumer, '0', position(), COUNT - first);
      assert.deepEqual(
        events.map(({ body }) => body),
        Array.from({ length: COUNT - first }, (_, index) => first + index),
      );
    });
  }

  test('from the latest position gets only what is sent afterwards', async () => {
    const live = new EventHubProducerClient(broker.connectionString, 'live');
    const client = new EventHubConsumerClient('$Default', broker.connectionString, 'live');
    await live.sendBatch([{ body: 'before' }]);
    const collector = collect(client, '0', latestEventPosition);
    const sent: string[] = [];
    await until('an event to arrive', async () => {
      sent.push(`after ${sent.length}`);
      await live.sendBatch([{ body: sent.at(-1) }]);
      return collector.events.length > 0;
    });
    await until('the last event', () => collector.events.at(-1)?.body === sent.at(-1));
    const received = collector.events.map(({ body }) => body);
    assert.deepEqual(received, sent.slice(-received.length));
    await collector.stop();
    await client.close();
    await live.close();
  });

  test('in another consumer group gets all events for itself', async () => {
    const client = new EventHubConsumerClient('SECOND', broker.connectionString, 'hub');
    assert.equal((await receive(client, '0', earliestEventPosition, COUNT)).length, COUNT);
    await client.close();
  });

  test('that tracks the partition learns of its newest event', async () => {
    let last: unknown;
    const subscription = consumer.subscribe(
      '0',
      {
        processEvents: async (_, context) => {
          last = context.lastEnqueuedEventProperties;
        },
        processError: async (error) => assert.fail(error),
      },
      { startPosition: earliestEventPosition, trackLastEnqueuedEventProperties: true, maxBatchSize: 1 },
    );
    await until('the properties', () => last !== undefined);
    await subscription.close();
    const newest = await producer.getPartitionProperties('0');
    assert.ok(typeof last === 'object' && last !== null && 'retrievedOn' in last);
    const { retrievedOn, ...rest } = last;
    assert.ok(retrievedOn instanceof Date);
    assert.deepEqual(rest, {
      sequenceNumber: newest.lastEnqueuedSequenceNumber,
      offset: newest.lastEnqueuedOffset,
      enqueuedOn: newest.lastEnqueuedOnUtc,
    });
  });

  test('may leave in the middle of its events without a break for its neighbours', async () => {
    broker.addHub({ name: 'neighbours', partitions: 2 });
    const sender = new EventHubProducerClient(broker.connectionString, 'neighbours');
    const client = new EventHubConsumerClient('$Default', broker.connectionString, 'neighbours');
    for (let batch = 0; batch < 4; batch += 1) {
      await sender.sendBatch(
        Array.from({ length: 1000 }, () => ({ body: 'x'.repeat(100) })),
        { partitionId: '1' },
      );
    }
    const neighbour = collect(client, '0', earliestEventPosition);
    await sender.sendBatch([{ body: 0 }], { partitionId: '0' });
    await until('the neighbour to receive', () => neighbour.events.length === 1);
    let connections = 0;
    const countConnection = (): void => {
      connections += 1;
    };
    subscribe('net.client.socket', countConnection);
    for (let round = 1; round <= 8; round += 1) {
      const leaving = collect(client, '1', earliestEventPosition, { maxBatchSize: 50, prefetchCount: 4000 });
      await until('a few events', () => leaving.events.length > 0);
      await leaving.stop();
      await sender.sendBatch([{ body: round }], { partitionId: '0' });
    }
    await until('the neighbour to receive all', () => neighbour.events.length === 9);
    unsubscribe('net.client.socket', countConnection);
    assert.deepEqual([connections, neighbour.errors], [0, []]);
    await neighbour.stop();
    await client.close();
    await sender.close();
  });

  test('gets no more than it has asked for', async () => {
    broker.addHub({ name: 'credit', partitions: 1 });
    const many = new EventHubProducerClient(broker.connectionString, 'credit');
    for (let batch = 0; batch < 10; batch += 1) {
      await many.sendBatch(Array.from({ length: 1000 }, () => ({ body: 'x' })));
    }
    await many.close();
    const client = new EventHubConsumerClient('$Default', broker.connectionString, 'credit');
    const sizes: number[] = [];
    let received = 0;
    const subscription = client.subscribe(
      '0',
      {
        processEvents: async (events, context) => {
          sizes.push(events.length);
          assert.deepEqual(
            events.map(({ sequenceNumber }) => sequenceNumber),
            events.map((_, index) => received + index),
          );
          received += events.length;
          assert.equal(context.partitionId, '0');
        },
        processError: async (error) => assert.fail(error),
      },
      { startPosition: earliestEventPosition, maxBatchSize: 700, prefetchCount: 2500 },
    );
    await until('all events', () => received === 10_000);
    assert.ok(Math.max(...sizes) <= 700);
    await subscription.close();
    await client.close();
  });
});
