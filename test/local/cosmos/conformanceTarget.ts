import { randomUUID } from 'node:crypto';
import {
  type Container,
  type ContainerRequest,
  CosmosClient,
  type Database,
  type JSONObject,
  type OperationInput,
  PartitionKeyDefinitionVersion,
  PartitionKeyKind,
} from '@azure/cosmos';
import { startCosmosGateway } from '../../../local/cosmos/gateway.ts';

/**
 * The conformance suite runs against the local gateway, or against the endpoint that TRIBUTARY_COSMOS_ENDPOINT and
 * TRIBUTARY_COSMOS_KEY name: the official emulator or an account. Either way it works in a database of its own.
 */
export interface ConformanceTarget {
  readonly client: CosmosClient;
  readonly database: Database;
  /** A new, empty container. */
  container(definition: Omit<ContainerRequest, 'id'>): Promise<Container>;
  close(): Promise<void>;
}

export const BY_PARTITION: Omit<ContainerRequest, 'id'> = { partitionKey: { paths: ['/pk'] } };

export const BY_TABLE_AND_KEY: Omit<ContainerRequest, 'id'> = {
  partitionKey: {
    paths: ['/table', '/key'],
    kind: PartitionKeyKind.MultiHash,
    version: PartitionKeyDefinitionVersion.V2,
  },
};

export async function openConformanceTarget(): Promise<ConformanceTarget> {
  const { TRIBUTARY_COSMOS_ENDPOINT: remote, TRIBUTARY_COSMOS_KEY: remoteKey } = process.env;
  const gateway = remote === undefined ? await startCosmosGateway() : undefined;
  const client = new CosmosClient({
    endpoint: gateway?.endpoint ?? remote ?? '',
    key: gateway?.key ?? remoteKey ?? '',
  });
  const { database } = await client.databases.create({ id: `conformance-${randomUUID()}` });
  return {
    client,
    database,
    container: async (definition) => {
      const { container } = await database.containers.create({ id: `c-${randomUUID()}`, ...definition });
      return container;
    },
    close: async () => {
      await database.delete();
      client.dispose();
      await gateway?.close();
    },
  };
}

const BULK_OPERATIONS = 100;
const PARALLEL_REQUESTS = 4;
const THROTTLED = 429;

/** Creates many documents by bulk requests; throttled ones are sent again. `keyOf` gives the partition key. */
export async function createAll<T extends JSONObject>(
  container: Container,
  documents: readonly T[],
  keyOf: (document: T) => string[],
): Promise<void> {
  const pending: OperationInput[] = documents.map((document) => {
    return { operationType: 'Create', partitionKey: keyOf(document), resourceBody: document };
  });
  const work = async (): Promise<void> => {
    for (let part = pending.splice(-BULK_OPERATIONS); part.length > 0; part = pending.splice(-BULK_OPERATIONS)) {
      const results = await container.items.bulk([...part], {}, { contentResponseOnWriteEnabled: false });
      results.forEach(({ statusCode }, index) => {
        const operation = part[index];
        if (statusCode === THROTTLED && operation !== undefined) pending.push(operation);
        else if (statusCode !== 201) throw new Error(`A document was not created: ${statusCode}`);
      });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_REQUESTS }, work));
}

/** The HTTP status with which a call fails, or the one it succeeds with. */
export async function statusOf(call: Promise<{ statusCode?: number }>): Promise<number | string | undefined> {
  try {
    return (await call).statusCode;
  } catch (error) {
    return error instanceof Error && 'code' in error ? (error.code as number | string) : String(error);
  }
}

/** A document without the properties that the service adds. */
export function withoutSystemProperties(document: object | undefined): object {
  return Object.fromEntries(Object.entries(document ?? {}).filter(([name]) => !name.startsWith('_')));
}
