import { CosmosClient } from '@azure/cosmos';
import { startAzurite } from '../../local/azurite.ts';
import { startCosmosGateway } from '../../local/cosmos/gateway.ts';
import { type Config, readConfig } from '../../shared/config.ts';
import { createContainers } from '../../shared/store/client.ts';
import type { ContainerName } from '../../shared/store/containers.ts';
import { CONTAINERS } from '../../shared/store/containers.ts';
import { Store } from '../../shared/store/store.ts';
import { type FaultProxy, startFaultProxy } from './faultProxy.ts';

/** The real store on a gateway of its own, behind a proxy that can play the death of the process. */
export interface TestStore {
  readonly config: Config;
  readonly proxy: FaultProxy;
  /** A store as a process that has just started has it. */
  open(): Promise<Store>;
  /** Documents of one container, without what the service adds and what depends on the time. */
  documents(container: ContainerName): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

const TIMES = new Set(['updatedAt', 'ingestedAt', 'firstSeenAt', 'receivedAt', 'place', 'turn']);

export async function startTestStore({
  blobs = false,
  settings = {} as Record<string, string>,
  requestUnitsPerSecond = Number.POSITIVE_INFINITY,
} = {}): Promise<TestStore> {
  const gateway = await startCosmosGateway(Number.isFinite(requestUnitsPerSecond) ? { requestUnitsPerSecond } : {});
  const azurite = blobs ? await startAzurite({}) : undefined;
  const proxy = await startFaultProxy(gateway.endpoint);
  const config = readConfig({
    ...settings,
    COSMOS_ENDPOINT: proxy.endpoint,
    COSMOS_KEY: gateway.key,
    AzureWebJobsStorage: azurite?.connectionString ?? 'UseDevelopmentStorage=true',
  });
  await createContainers(config.cosmos);
  const client = new CosmosClient({ endpoint: gateway.endpoint, key: gateway.key });
  return {
    config,
    proxy,
    open: () => Store.open(config),
    async documents(name) {
      const container = client.database(config.cosmos.database).container(CONTAINERS[name].id);
      const { resources } = await container.items.readAll().fetchAll();
      const plain = resources.map((document) =>
        Object.fromEntries(Object.entries(document).filter(([field]) => !field.startsWith('_') && !TIMES.has(field))),
      );
      return plain.sort((a, b) =>
        JSON.stringify([a.table, a.key, a.id]) < JSON.stringify([b.table, b.key, b.id]) ? -1 : 1,
      );
    },
    async close() {
      client.dispose();
      await proxy.close();
      await gateway.close();
      await azurite?.close();
    },
  };
}
