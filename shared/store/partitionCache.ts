import type { CosmosClient } from '@azure/cosmos';

/**
 * The client asks once which partitions a container has, and keeps the answer, even where it is a failure: a process whose
 * first look at a container falls into an outage would fail for ever after (@azure/cosmos 4.9, `PartitionKeyRangeCache`;
 * there is no public way to make it ask again). So a failure empties that memory.
 */
export function forgetFailedLookups(client: CosmosClient): void {
  const cache = cacheOf(client);
  if (cache === undefined) return;
  const lookUp = cache.onCollectionRoutingMap.bind(cache);
  cache.onCollectionRoutingMap = async (...given) => {
    try {
      return await lookUp(...given);
    } catch (error) {
      cache.collectionRoutingMapByCollectionId = {};
      throw error;
    }
  };
}

/** What of the client's inside this needs. */
interface PartitionCache {
  onCollectionRoutingMap(...given: readonly unknown[]): Promise<unknown>;
  collectionRoutingMapByCollectionId: object;
}

/** Undefined where a client of another version is built differently. */
function cacheOf(client: object): PartitionCache | undefined {
  const context = memberOf(client, 'clientContext');
  const cache = memberOf(context, 'partitionKeyRangeCache');
  return isPartitionCache(cache) ? cache : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isPartitionCache(value: unknown): value is PartitionCache {
  return (
    typeof memberOf(value, 'onCollectionRoutingMap') === 'function' &&
    typeof memberOf(value, 'collectionRoutingMapByCollectionId') === 'object'
  );
}
