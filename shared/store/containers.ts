import { type ContainerRequest, PartitionKeyDefinitionVersion, PartitionKeyKind } from '@azure/cosmos';

/** One container of the database: the single place that says how it is partitioned, indexed and emptied. */
export interface ContainerDefinition {
  readonly id: string;
  readonly partitionKey: readonly string[];
  /** Paths that queries filter or sort by; everything else stays out of the index, for each indexed path costs request units. */
  readonly indexed: readonly string[];
  /** Whether documents may carry a `ttl`. */
  readonly expires: boolean;
}

export const CONTAINERS = {
  rows: {
    id: 'rows',
    partitionKey: ['/table', '/id'],
    indexed: ['/table/?', '/row/*', '/deleted/?', '/committedAt/?', '/updatedAt/?'],
    expires: true,
  },
  changes: {
    id: 'changes',
    partitionKey: ['/table', '/key'],
    indexed: [
      '/table/?',
      '/key/?',
      '/op/?',
      '/token/?',
      '/committedAt/?',
      '/ingestedAt/?',
      '/transaction/id/?',
      '/flag/?',
    ],
    expires: true,
  },
  segments: {
    id: 'segments',
    partitionKey: ['/logicalId'],
    indexed: ['/kind/?', '/state/?', '/firstSeenAt/?', '/stream/?'],
    expires: true,
  },
  parked: {
    id: 'parked',
    partitionKey: ['/waitingFor'],
    indexed: ['/waitingFor/?', '/parkedAt/?', '/place/?', '/source/?', '/stream/?'],
    expires: false,
  },
  catalog: { id: 'catalog', partitionKey: ['/stream'], indexed: ['/stream/?', '/kind/?', '/table/?'], expires: false },
  cursors: { id: 'cursors', partitionKey: ['/id'], indexed: ['/kind/?', '/stream/?', '/updatedAt/?'], expires: true },
  deadletters: {
    id: 'deadletters',
    partitionKey: ['/stream'],
    indexed: ['/stream/?', '/source/?', '/reason/?', '/receivedAt/?', '/place/?', '/turn/?'],
    expires: false,
  },
} as const satisfies Record<string, ContainerDefinition>;

export type ContainerName = keyof typeof CONTAINERS;

/** TTL is on, but documents without a `ttl` of their own stay. */
const TTL_PER_DOCUMENT = -1;

/** The definition as the service wants it. */
export function containerRequest(definition: ContainerDefinition): ContainerRequest {
  const { id, partitionKey, indexed, expires } = definition;
  return {
    id,
    partitionKey: {
      paths: [...partitionKey],
      kind: partitionKey.length > 1 ? PartitionKeyKind.MultiHash : PartitionKeyKind.Hash,
      version: PartitionKeyDefinitionVersion.V2,
    },
    indexingPolicy: {
      indexingMode: 'consistent',
      automatic: true,
      includedPaths: indexed.map((path) => ({ path })),
      excludedPaths: [{ path: '/*' }],
    },
    ...(expires ? { defaultTtl: TTL_PER_DOCUMENT } : {}),
  };
}
