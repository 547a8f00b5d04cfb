import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { EventHubConsumerClient, EventHubProducerClient, earliestEventPosition } from '@azure/event-hubs';
import fc from 'fast-check';
import { startBroker } from '../../../local/eventhubs/broker.ts';
import { partitionOfKey } from '../../../local/eventhubs/partitionKeyHash.ts';
import { sendBuffered } from './bufferedProducer.ts';
import { receive } from './collector.ts';

const PARTITIONS = 7;
// Every length of the hash's last block, more than one block, and characters of one to four bytes.
const KEYS = [
  ...Array.from({ length: 40 }, (_, length) => 'abcdefghijklmnopqrstuvwxyz0123456789ABCD'.slice(0, length + 1)),
  'é',
  'ключ',
  '鍵',
  '🔑🔑🔑🔑',
];

describe('the partition of a key', async () => {
  const broker = await startBroker({ hubs: [{ name: 'keys', partitions: PARTITIONS }] });
  after(() => broker.close());

  /** Where each key is found, by reading all partitions. */
  async function placement(): Promise<Map<string, string>> {
    const consumer = new EventHubConsumerClient('$Default', broker.connectionString, 'keys');
    const found = new Map<string, string>();
    for (const partitionId of await consumer.getPartitionIds()) {
      const { lastEnqueuedSequenceNumber } = await consumer.getPartitionProperties(partitionId);
      for (const event of await receive(consumer, partitionId, earliestEventPosition, lastEnqueuedSequenceNumber + 1)) {
        const before = found.get(String(event.body));
        assert.ok(before === undefined || before === partitionId, `key '${event.body}' is in two partitions`);
        found.set(String(event.body), partitionId);
      }
    }
    await consumer.close();
    return found;
  }

  test("is the one that the client's buffered producer computes", async () => {
    await sendBuffered(broker.connectionString, 'keys', KEYS);
    const producer = new EventHubProducerClient(broker.connectionString, 'keys');
    for (const key of KEYS) {
      await producer.sendBatch([{ body: key }], { partitionKey: key });
    }
    await producer.close();
    assert.deepEqual(
      Object.fromEntries(await placement()),
      Object.fromEntries(KEYS.map((key) => [key, String(partitionOfKey(key, PARTITIONS))])),
    );
  });

  test('is always one of the partitions', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 1024 }), (key, count) => {
        const index = partitionOfKey(key, count);
        assert.ok(Number.isInteger(index) && index >= 0 && index < count);
      }),
    );
  });
});
