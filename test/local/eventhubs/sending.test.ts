import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { EventHubConsumerClient, EventHubProducerClient, earliestEventPosition } from '@azure/event-hubs';
import fc from 'fast-check';
import rhea from 'rhea';
import { type Broker, startBroker } from '../../../local/eventhubs/broker.ts';
import { receive } from './collector.ts';

describe('sent events', () => {
  let broker: Broker;
  let producer: EventHubProducerClient;
  let consumer: EventHubConsumerClient;
  let hubs = 0;

  before(async () => {
    broker = await startBroker({ hubs: [] });
  });
  after(() => broker.close());

  /** Runs a test on a hub of its own. */
  function onHub(name: string, body: () => Promise<void>): void {
    test(name, async () => {
      hubs += 1;
      broker.addHub({ name: `hub${hubs}` });
      producer = new EventHubProducerClient(broker.connectionString, `hub${hubs}`);
      consumer = new EventHubConsumerClient('$Default', broker.connectionString, `hub${hubs}`);
      await body();
      await producer.close();
      await consumer.close();
    });
  }

  onHub('arrive with the same bytes, whatever they are', async () => {
    const bodies = [
      Buffer.from(Array.from({ length: 256 }, (_, value) => value)),
      Buffer.alloc(0),
      Buffer.alloc(70_000, 'abcdefg'),
      Buffer.from('0'),
      Buffer.from('{"a":1}'),
      ...fc.sample(fc.uint8Array({ maxLength: 2000 }), 50).map((bytes) => Buffer.from(bytes)),
    ];
    await producer.sendBatch(
      bodies.map((body) => ({ body })),
      { partitionId: '0' },
    );
    // The client would take a body such as `0` for JSON.
    const raw = { skipParsingBodyAsJson: true };
    const events = await receive(consumer, '0', earliestEventPosition, bodies.length, raw);
    assert.deepEqual(
      events.map((event) => Buffer.from(event.body)),
      bodies,
    );
  });

  onHub('keep data, value and sequence bodies apart', async () => {
    const sent = [
      { body: Buffer.from('data'), bodyType: 'data' as const },
      { body: { text: 'value', number: 1 }, bodyType: 'value' as const },
      { body: ['a', 2, null], bodyType: 'sequence' as const },
    ];
    await producer.sendBatch(sent, { partitionId: '0' });
    const events = await receive(consumer, '0', earliestEventPosition, sent.length);
    assert.deepEqual(
      events.map(({ body, getRawAmqpMessage }) => ({ body, bodyType: getRawAmqpMessage().bodyType })),
      sent,
    );
  });

  onHub('keep their properties, and count from 0 with growing offsets and times', async () => {
    const properties = { text: 'ü', number: -5, fraction: 0.5, yes: true, nothing: null };
    await producer.sendBatch(
      [{ body: 1, properties, contentType: 'application/x', messageId: 'm', correlationId: 'c' }],
      {
        partitionId: '1',
      },
    );
    await producer.sendBatch([{ body: 2 }], { partitionId: '1' });
    const [first, second] = await receive(consumer, '1', earliestEventPosition, 2);
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual(
      [first.properties, first.contentType, first.messageId, first.correlationId, first.systemProperties],
      [properties, 'application/x', 'm', 'c', { contentType: 'application/x', messageId: 'm', correlationId: 'c' }],
    );
    assert.deepEqual([first.sequenceNumber, second.sequenceNumber, first.offset], [0, 1, '0']);
    assert.ok(Number(second.offset) > 0);
    assert.ok(second.enqueuedTimeUtc.getTime() >= first.enqueuedTimeUtc.getTime());
    assert.ok(Math.abs(Date.now() - first.enqueuedTimeUtc.getTime()) < 60_000);
  });

  onHub('with one key stay together and keep it', async () => {
    for (const body of [1, 2, 3, 4, 5]) {
      const batch = await producer.createBatch({ partitionKey: 'the key' });
      assert.ok(batch.tryAdd({ body }));
      await producer.sendBatch(batch);
    }
    const counts = await Promise.all(
      (await producer.getPartitionIds()).map(async (id) => [id, await producer.getPartitionProperties(id)] as const),
    );
    const used = counts.filter(([, { isEmpty }]) => !isEmpty).map(([id]) => id);
    assert.equal(used.length, 1);
    const events = await receive(consumer, used[0] ?? '', earliestEventPosition, 5);
    assert.deepEqual(
      events.map(({ body, partitionKey }) => [body, partitionKey]),
      [1, 2, 3, 4, 5].map((body) => [body, 'the key']),
    );
  });

  onHub('without key or partition go round', async () => {
    for (let index = 0; index < 8; index += 1) {
      await producer.sendBatch([{ body: index }]);
    }
    const last = await Promise.all(
      ['0', '1', '2', '3'].map(async (id) => (await producer.getPartitionProperties(id)).lastEnqueuedSequenceNumber),
    );
    assert.deepEqual(last, [1, 1, 1, 1]);
  });

  onHub('fill a batch up to the size limit, and no further', async () => {
    const batch = await producer.createBatch({ partitionId: '0' });
    assert.equal(batch.maxSizeInBytes, 1_048_576);
    while (batch.tryAdd({ body: Buffer.alloc(20_000) })) {}
    await producer.sendBatch(batch);
    assert.equal((await receive(consumer, '0', earliestEventPosition, batch.count)).length, batch.count);
  });

  onHub('that are too large are refused, and the link goes on', async () => {
    for (const bytes of [1_100_000, 5_000_000]) {
      await assert.rejects(producer.sendBatch([{ body: Buffer.alloc(bytes) }], { partitionId: '0' }), {
        code: 'MessageTooLargeError',
        message: /size:\d+ bytes\) exceeds the limit \(1048576 bytes\)/,
      });
    }
    await producer.sendBatch([{ body: 'small' }], { partitionId: '0' });
    const [event] = await receive(consumer, '0', earliestEventPosition, 1);
    assert.deepEqual([event?.body, event?.sequenceNumber], ['small', 0]);
  });

  onHub('keep their order when there are many', async () => {
    const count = 5000;
    for (let start = 0; start < count; start += 500) {
      const bodies = Array.from({ length: 500 }, (_, index) => ({ body: start + index }));
      await producer.sendBatch(bodies, { partitionId: '3' });
    }
    const events = await receive(consumer, '3', earliestEventPosition, count);
    assert.deepEqual(
      events.map(({ body, sequenceNumber }) => [body, sequenceNumber]),
      Array.from({ length: count }, (_, index) => [index, index]),
    );
  });

  test('may come as plain AMQP messages, and damaged ones are refused', async () => {
    broker.addHub({ name: 'plain', partitions: 1 });
    const container = rhea.create_container();
    const connection = container.connect({ host: '127.0.0.1', port: broker.port, username: 'x', reconnect: false });
    const sender = connection.open_sender('plain');
    await once(sender, 'sendable');
    const long = rhea.types.wrap_long(5);
    sender.send({ body: long, application_properties: { small: rhea.types.wrap_byte(1) } });
    await once(sender, 'accepted');
    for (const [payload, format] of [
      [Buffer.from('damaged'), 0x8001_3700],
      [rhea.message.encode({ body: 'text' }), 0x8001_3700],
      [rhea.message.encode({ body: 'text' }), 0x1234_5600],
    ] as const) {
      sender.send(payload, undefined, format);
      await once(sender, 'rejected');
    }
    const closed = once(connection, 'connection_close');
    connection.close();
    await closed;
    const client = new EventHubConsumerClient('$Default', broker.connectionString, 'plain');
    const [event, ...more] = await receive(client, '0', earliestEventPosition, 1);
    assert.deepEqual([event?.body, event?.properties, more], [5, { small: 1 }, []]);
    await client.close();
  });
});
