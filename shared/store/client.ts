import { CosmosClient, type CosmosClientOptions, type Database } from '@azure/cosmos';
import type { Config } from '../config.ts';
import { appIdentity } from '../identity.ts';
import { CONTAINERS, containerRequest } from './containers.ts';
import { forgetFailedLookups } from './partitionCache.ts';

/** How long one request may take before it counts as failed. */
const REQUEST_TIMEOUT_MS = 15_000;

/** The client's own patience with throttling; what it gives up on comes back to `operations.ts`, which waits longer. */
const THROTTLE_RETRIES = { maxRetryAttemptCount: 9, fixedRetryIntervalInMilliseconds: 0, maxWaitTimeInSeconds: 15 };

/** Opens the database. Makes no request: the app must start when the store is down. */
export async function openDatabase(config: Config['cosmos']): Promise<Database> {
  const client = new CosmosClient(await clientOptions(config));
  forgetFailedLookups(client);
  return client.database(config.database);
}

/** Creates the database and each container that is absent. In Azure they come from Bicep; this is for local stacks. */
export async function createContainers(config: Config['cosmos']): Promise<void> {
  const client = new CosmosClient(await clientOptions(config));
  const { database } = await client.databases.createIfNotExists({ id: config.database });
  for (const definition of Object.values(CONTAINERS)) {
    await database.containers.createIfNotExists(containerRequest(definition));
  }
  client.dispose();
}

async function clientOptions(config: Config['cosmos']): Promise<CosmosClientOptions> {
  const connectionPolicy = { requestTimeout: REQUEST_TIMEOUT_MS, retryOptions: THROTTLE_RETRIES };
  if (config.key !== undefined) {
    // Emulators advertise addresses that only they can reach; a local endpoint is the one that was given.
    return {
      endpoint: config.endpoint,
      key: config.key,
      connectionPolicy: { ...connectionPolicy, enableEndpointDiscovery: false },
    };
  }
  return { endpoint: config.endpoint, aadCredentials: await appIdentity(), connectionPolicy };
}
