import type { EventHubConsumerClient } from '@azure/event-hubs';
import type { ContainerClient } from '@azure/storage-blob';
import type { CesStream, StorageConnection } from '../../config.ts';
import { appIdentity } from '../../identity.ts';
import type { Checkpoint, PartitionFacts } from './partitionFacts.ts';

/** Where the Event Hubs extension keeps checkpoints. */
const CHECKPOINT_CONTAINER = 'azure-webjobs-eventhub';
const NOT_FOUND = 404;
const RETRIES = { maxRetries: 1, timeoutInMs: 4_000 };

type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown when the settings do not say how to reach a hub. */
export class HubSettingsError extends Error {
  override readonly name = 'HubSettingsError';
}

/** Asks one hub and its checkpoints. Connects at first use and stays connected; after a failure it connects anew. */
export class HubReader {
  readonly #stream: CesStream;
  readonly #storage: StorageConnection;
  readonly #environment: Environment;
  #client: Promise<EventHubConsumerClient> | undefined;
  #container: Promise<ContainerClient> | undefined;

  constructor(stream: CesStream, storage: StorageConnection, environment: Environment) {
    this.#stream = stream;
    this.#storage = storage;
    this.#environment = environment;
  }

  /** Throws HubSettingsError and what the clients throw. */
  async read(): Promise<PartitionFacts[]> {
    this.#client ??= openHub(this.#stream, this.#environment);
    const opening = this.#client;
    try {
      const client = await opening;
      return await Promise.all((await client.getPartitionIds()).map((partition) => this.#factsOf(client, partition)));
    } catch (error) {
      if (this.#client === opening) this.#client = undefined;
      await opening.then((client) => client.close()).catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    await (await this.#client)?.close();
  }

  async #factsOf(client: EventHubConsumerClient, partition: string): Promise<PartitionFacts> {
    const [properties, checkpoint] = await Promise.all([
      client.getPartitionProperties(partition),
      this.#checkpointOf(client, partition),
    ]);
    const { isEmpty, beginningSequenceNumber, lastEnqueuedSequenceNumber, lastEnqueuedOnUtc } = properties;
    return {
      partition,
      isEmpty,
      firstSequenceNumber: beginningSequenceNumber,
      lastSequenceNumber: lastEnqueuedSequenceNumber,
      lastEnqueuedAt: isEmpty ? null : lastEnqueuedOnUtc.toISOString(),
      checkpoint,
    };
  }

  async #checkpointOf(client: EventHubConsumerClient, partition: string): Promise<Checkpoint | undefined> {
    const { fullyQualifiedNamespace, eventHubName } = client;
    const path = `${fullyQualifiedNamespace}/${eventHubName}/${this.#stream.consumerGroup}/checkpoint/${partition}`;
    this.#container ??= openContainer(this.#storage);
    try {
      const blob = (await this.#container).getBlobClient(path.toLowerCase());
      const { metadata, lastModified } = await blob.getProperties();
      const sequenceNumber = Number(metadata?.sequencenumber);
      if (!Number.isSafeInteger(sequenceNumber) || lastModified === undefined) return undefined;
      return { sequenceNumber, at: lastModified.toISOString() };
    } catch (error) {
      if (error instanceof Error && 'statusCode' in error && error.statusCode === NOT_FOUND) return undefined;
      this.#container = undefined;
      throw error;
    }
  }
}

/** The package is a good part of a cold start, so it is loaded only where it is used. */
async function openHub(
  { connection, eventHub, consumerGroup }: CesStream,
  environment: Environment,
): Promise<EventHubConsumerClient> {
  const { EventHubConsumerClient, parseEventHubConnectionString } = await import('@azure/event-hubs');
  const options = { retryOptions: RETRIES };
  const text = environment[connection];
  if (text !== undefined && text !== '') {
    // A hub named in the connection string wins over the trigger's, as in Azure.
    return parseEventHubConnectionString(text).eventHubName === undefined
      ? new EventHubConsumerClient(consumerGroup, text, eventHub, options)
      : new EventHubConsumerClient(consumerGroup, text, options);
  }
  const namespace = environment[`${connection}__fullyQualifiedNamespace`];
  if (namespace === undefined || namespace === '') {
    throw new HubSettingsError(`neither ${connection} nor ${connection}__fullyQualifiedNamespace is set`);
  }
  return new EventHubConsumerClient(consumerGroup, namespace, eventHub, await appIdentity(), options);
}

async function openContainer(storage: StorageConnection): Promise<ContainerClient> {
  const { BlobServiceClient } = await import('@azure/storage-blob');
  if ('connectionString' in storage) {
    return BlobServiceClient.fromConnectionString(storage.connectionString).getContainerClient(CHECKPOINT_CONTAINER);
  }
  return new BlobServiceClient(storage.serviceUri, await appIdentity()).getContainerClient(CHECKPOINT_CONTAINER);
}
