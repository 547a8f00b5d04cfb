import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EventHubConsumerClient, EventHubProducerClient, earliestEventPosition } from '@azure/event-hubs';
import { BlobCheckpointStore } from '@azure/eventhubs-checkpointstore-blob';
import { ContainerClient } from '@azure/storage-blob';
import { type Azurite, startAzurite } from '../../../local/azurite.ts';
import { type Broker, startBroker } from '../../../local/eventhubs/broker.ts';
import { until } from './collector.ts';

const PARTITIONS = ['0', '1', '2', '3'];

/** A consumer with checkpoints: the partitions it holds, and the bodies it has received. */
class Worker {
  readonly partitions = new Set<string>();
  readonly bodies: string[] = [];
  readonly #client: EventHubConsumerClient;
  readonly #subscription: { close(): Promise<void> };

  constructor(broker: Broker, container: ContainerClient) {
    const store = new BlobCheckpointStore(container);
    this.#client = new EventHubConsumerClient('$Default', broker.connectionString, 'hub', store, {
      loadBalancingOptions: {
        strategy: 'greedy',
        updateIntervalInMs: 200,
        partitionOwnershipExpirationIntervalInMs: 5000,
      },
    });
    this.#subscription = this.#client.subscribe(
      {
        processInitialize: async ({ partitionId }) => {
          this.partitions.add(partitionId);
        },
        processEvents: async (events, context) => {
          this.bodies.push(...events.map(({ body }) => body));
          const last = events.at(-1);
          if (last !== undefined) {
            await context.updateCheckpoint(last);
          }
        },
        processClose: async (_, { partitionId }) => {
          this.partitions.delete(partitionId);
        },
        processError: async () => {},
      },
      { startPosition: earliestEventPosition },
    );
  }

  async stop(): Promise<void> {
    await this.#subscription.close();
    await this.#client.close();
  }
}

describe('consumers with a checkpoint store', () => {
  let broker: Broker;
  let azurite: Azurite;
  let container: ContainerClient;
  let producer: EventHubProducerClient;
  let rounds = 0;

  before(async () => {
    [broker, azurite] = await Promise.all([startBroker({ hubs: [{ name: 'hub' }] }), startAzurite()]);
    container = new ContainerClient(azurite.connectionString, 'checkpoints');
    await container.create();
    producer = new EventHubProducerClient(broker.connectionString, 'hub');
  });
  after(async () => {
    await producer.close();
    await broker.close();
    await azurite.close();
  });

  async function sendRound(): Promise<string[]> {
    rounds += 1;
    const bodies = PARTITIONS.map((partitionId) => `round ${rounds}, partition ${partitionId}`);
    for (const [index, partitionId] of PARTITIONS.entries()) {
      await producer.sendBatch([{ body: bodies[index] }], { partitionId });
    }
    return bodies;
  }

  test('share the partitions, and a later one resumes where they stopped', async () => {
    const first = new Worker(broker, container);
    const firstRound = await sendRound();
    await until('the first consumer to have all events', () => first.bodies.length === PARTITIONS.length);
    assert.deepEqual(first.bodies.toSorted(), firstRound);

    const second = new Worker(broker, container);
    await until('an even share', () => first.partitions.size === 2 && second.partitions.size === 2);
    assert.deepEqual([...first.partitions, ...second.partitions].toSorted(), PARTITIONS);
    const secondRound = await sendRound();
    const sinceFirst = () => [...first.bodies.slice(PARTITIONS.length), ...second.bodies].toSorted();
    await until('both to have their events', () => secondRound.every((body) => sinceFirst().includes(body)));
    await first.stop();
    await second.stop();

    const thirdRound = await sendRound();
    const third = new Worker(broker, container);
    await until('the third to have the new events', () => third.bodies.length >= PARTITIONS.length);
    assert.deepEqual(third.bodies.toSorted(), thirdRound);
    await third.stop();
  });
});
