import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Container, CosmosClient } from '@azure/cosmos';
import { EventHubProducerClient } from '@azure/event-hubs';
import { sendAll } from '../../local/sampleTraffic.ts';
import { type Stack, type StackOptions, startStack } from '../../local/stack.ts';
import type { RowDocument } from '../../shared/change/rowDocument.ts';
import type { Status, StreamStatus } from '../../shared/operate/status.ts';
import { CONTAINERS, type ContainerName } from '../../shared/store/containers.ts';

const POLL_MS = 50;
const DEFAULT_PATIENCE_MS = 30_000;

/** The whole stack on free ports, and what tests ask of it. */
export interface TestStack extends Stack {
  container(name: ContainerName): Container;
  documents<Document>(name: ContainerName): Promise<Document[]>;
  /** Rows without what depends on when and in how many steps they were written. */
  rows(): Promise<Omit<RowDocument, 'updatedAt'>[]>;
  /** Sends to partitions in turn, or all to one. */
  send(bodies: Iterable<Uint8Array>, partitionId?: string): Promise<void>;
  get(path: string, key?: string): Promise<Response>;
  /** The numbers of the CES stream as `/api/status` has them. */
  cesStatus(): Promise<StreamStatus | undefined>;
}

/** Starts the built app on an embedded stack of its own. */
export async function startTestStack(
  settings: Readonly<Record<string, string>> = {},
  options: Partial<StackOptions> = {},
): Promise<TestStack> {
  const stack = await startStack({
    appRoot: join(import.meta.dirname, '..', '..'),
    ephemeral: true,
    keep: false,
    requestUnitsPerSecond: undefined,
    cosmosEndpoint: undefined,
    cosmosKey: undefined,
    eventHubsConnectionString: undefined,
    storageConnectionString: undefined,
    settings,
    ...options,
  });
  const { description } = stack;
  const client = new CosmosClient({ endpoint: description.cosmosEndpoint, key: description.cosmosKey });
  const container = (name: ContainerName) => client.database(description.cosmosDatabase).container(CONTAINERS[name].id);
  const documents = async <Document>(name: ContainerName) =>
    (await container(name).items.readAll().fetchAll()).resources.map(withoutSystemProperties) as Document[];
  const producer = new EventHubProducerClient(description.eventHubsConnectionString, description.eventHubName);
  return {
    ...stack,
    container,
    documents,
    async rows() {
      const rows = (await documents<RowDocument>('rows')).map(({ updatedAt: _, ...row }) => row);
      return rows.sort((a, b) => (`${a.table}/${a.id}` < `${b.table}/${b.id}` ? -1 : 1));
    },
    async send(bodies, partitionId) {
      if (partitionId === undefined) return sendAll(producer, bodies);
      await producer.sendBatch(
        [...bodies].map((body) => ({ body: Buffer.from(body) })),
        { partitionId },
      );
    },
    get: (path, key) =>
      fetch(`${description.functionsUrl}${path}`, { headers: key === undefined ? {} : { 'x-functions-key': key } }),
    async cesStatus() {
      const headers = { 'x-functions-key': description.functionKey };
      const status = (await (await fetch(`${description.functionsUrl}/api/status`, { headers })).json()) as Status;
      return status.streams.find(({ source, stream }) => source === 'ces' && stream === description.cesStream);
    },
    async close() {
      await producer.close();
      client.dispose();
      await stack.close();
    },
  };
}

/** Asks again and again until `read` gives what `isDone` wants; then, or when patience ends, returns the last answer. */
export async function eventually<Value>(
  read: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  { patienceMs = DEFAULT_PATIENCE_MS, pollMs = POLL_MS } = {},
): Promise<Value> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (isDone(value) || Date.now() > deadline) return value;
    await delay(pollMs);
  }
}

function withoutSystemProperties(document: object): object {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !name.startsWith('_')));
}
