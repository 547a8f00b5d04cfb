import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../shared/config.ts';
import { createContainers } from '../shared/store/client.ts';
import { startAzurite } from './azurite.ts';
import { startCosmosGateway } from './cosmos/gateway.ts';
import { startBroker } from './eventhubs/broker.ts';
import { type FunctionsHost, startFunctionsHost } from './host/host.ts';
import type { StartOptions } from './options.ts';

/** Where everything is: the content of `.local/stack.json`. */
export interface StackDescription {
  readonly functionsUrl: string;
  readonly cosmosEndpoint: string;
  readonly cosmosKey: string;
  readonly cosmosDatabase: string;
  readonly blobConnectionString: string;
  readonly eventHubsConnectionString: string;
  readonly eventHubName: string;
  readonly cesStream: string;
  readonly changeFeedStream: string;
  readonly functionKey: string;
  readonly pid: number;
}

export interface Stack {
  readonly description: StackDescription;
  readonly host: FunctionsHost;
  /** Ends every part and every child process. */
  close(): Promise<void>;
}

export interface StackOptions extends Omit<StartOptions, 'samples' | 'help'> {
  /** The folder that holds host.json, package.json and the built app. */
  readonly appRoot: string;
  /** App settings on top of the stack's own, for instance STREAMS. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: (line: string) => void;
}

const PORTS = { functions: 7071, cosmos: 8081, eventHubs: 5672, blob: 10_000 } as const;
const FREE_PORT = 0;
const DATABASE = 'tributary';

/** Starts every part that `options` does not replace by a real one, then the app. Throws what the failing part throws. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const port = (name: keyof typeof PORTS) => (options.ephemeral ? FREE_PORT : PORTS[name]);
    const own = async <Part extends { close(): Promise<void> }>(part: Promise<Part>): Promise<Part> => {
      const started = await part;
      closers.push(() => started.close());
      return started;
    };

    const storage =
      options.storageConnectionString ?? (await own(startAzurite({ port: port('blob') }))).connectionString;
    const cosmos = await cosmosOf(options, port('cosmos'), own);
    const { streams } = readConfig({
      ...options.settings,
      COSMOS_ENDPOINT: cosmos.endpoint,
      AzureWebJobsStorage: storage,
    });
    await createContainers({ ...cosmos, database: DATABASE });
    const hubs = streams.ces.map(({ eventHub: name, consumerGroup }) => ({ name, consumerGroups: [consumerGroup] }));
    const eventHubs =
      options.eventHubsConnectionString ?? (await own(startBroker({ port: port('eventHubs'), hubs }))).connectionString;

    const functionKey = randomBytes(24).toString('base64url');
    const connections = [
      ...streams.ces.map(({ connection }) => [connection, eventHubs]),
      ...streams.blob.map(({ connection }) => [connection, storage]),
    ];
    const host = await own(
      startFunctionsHost({
        appRoot: options.appRoot,
        port: port('functions'),
        functionKey,
        settings: {
          ...options.settings,
          AzureWebJobsStorage: storage,
          COSMOS_ENDPOINT: cosmos.endpoint,
          COSMOS_KEY: cosmos.key,
          COSMOS_DATABASE: DATABASE,
          ...Object.fromEntries(connections),
        },
        ...(options.log === undefined ? {} : { log: options.log }),
      }),
    );
    const [first] = streams.ces;
    return {
      host,
      close,
      description: {
        functionsUrl: host.url,
        cosmosEndpoint: cosmos.endpoint,
        cosmosKey: cosmos.key,
        cosmosDatabase: DATABASE,
        blobConnectionString: storage,
        eventHubsConnectionString: eventHubs,
        eventHubName: first?.eventHub ?? '',
        cesStream: first?.stream ?? '',
        changeFeedStream: streams.blob[0]?.stream ?? '',
        functionKey,
        pid: process.pid,
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Own = <Part extends { close(): Promise<void> }>(part: Promise<Part>) => Promise<Part>;

async function cosmosOf(options: StackOptions, port: number, own: Own): Promise<{ endpoint: string; key: string }> {
  if (options.cosmosEndpoint !== undefined) {
    const key = options.cosmosKey ?? '';
    if (key === '') throw new TypeError('--cosmos needs the key of the account in COSMOS_KEY');
    return { endpoint: options.cosmosEndpoint, key };
  }
  const folder = join(options.appRoot, '.local');
  if (options.keep) await mkdir(folder, { recursive: true });
  const { requestUnitsPerSecond } = options;
  const { endpoint, key } = await own(
    startCosmosGateway({
      port,
      ...(options.keep ? { file: join(folder, 'cosmos.sqlite') } : {}),
      ...(requestUnitsPerSecond === undefined ? {} : { requestUnitsPerSecond }),
    }),
  );
  return { endpoint, key };
}
