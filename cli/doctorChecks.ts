import { openBlobFeed } from '../shared/changefeed/blobFeedSource.ts';
import { type Config, readConfig, storageConnection } from '../shared/config.ts';
import { HubReader } from '../shared/operate/hubs/hubReader.ts';
import { HubWatch } from '../shared/operate/hubs/hubWatch.ts';
import { inspectContainers, probeWriting } from '../shared/store/inspection.ts';
import { ValueStore } from '../shared/store/valueStore.ts';
import { apiTarget, callApi } from './api.ts';
import type { CommandContext } from './command.ts';
import { appSettings } from './stackFile.ts';

/** What one check found. `remedy` says what to do; it matters only where the check failed. */
export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly remedy: string;
}

interface Check {
  readonly name: string;
  readonly remedy: string;
  /** What was found, for information. Throws what is wrong. */
  run(): Promise<string>;
}

const REQUIRED_MAJOR = 24;
const TIME_LIMIT_MS = 20_000;
const SEGMENT_INDEX = 'meta/segments.json';

type ApiOptions = { readonly url?: string | undefined; readonly key?: string | undefined };

/** Runs the checks one after another. Those of the services need settings that can be read. */
export async function* checksOf(options: ApiOptions, context: CommandContext): AsyncGenerator<CheckResult> {
  yield await resultOf(NODE);
  const settings = await appSettings(context);
  let config: Config | undefined;
  yield await resultOf({
    name: 'settings',
    remedy: 'set them in the environment or in local.settings.json; local.settings.sample.json lists them all',
    async run() {
      config = readConfig(settings);
      const { ces, blob, goldengate, qlik } = config.streams;
      const named = Object.keys(goldengate).length + Object.keys(qlik).length;
      return `${ces.length} hubs, ${blob.length} change feeds, ${named} named HTTP streams`;
    },
  });
  if (config !== undefined) {
    for (const check of serviceChecks(config, settings)) yield await resultOf(check);
  }
  for (const check of appChecks(options, context)) yield await resultOf(check);
}

const NODE: Check = {
  name: 'node',
  remedy: 'install with `npm ci`, without --ignore-scripts, and start through npx',
  async run() {
    const { node } = process.versions;
    if (Number(node.split('.')[0]) < REQUIRED_MAJOR) throw new Error(`this is Node ${node}, not ${REQUIRED_MAJOR}`);
    return node;
  },
};

function serviceChecks(config: Config, settings: Readonly<Record<string, string | undefined>>): Check[] {
  const { cosmos, storage, streams } = config;
  return [
    {
      name: 'Cosmos DB containers',
      remedy:
        'COSMOS_ENDPOINT, COSMOS_KEY and COSMOS_DATABASE say where they are; in Azure `azd provision` makes and repairs them, ' +
        'locally `npm start` does; how a container is partitioned cannot be changed afterwards',
      async run() {
        const problems = await inspectContainers(cosmos);
        if (problems.length > 0) throw new Error(problems.join('; '));
        return cosmos.endpoint;
      },
    },
    {
      name: 'Cosmos DB writing',
      remedy: 'give the identity the role Cosmos DB Built-in Data Contributor on the account or the database',
      async run() {
        await probeWriting(cosmos);
        return '';
      },
    },
    {
      name: 'Blob Storage writing',
      remedy: 'AzureWebJobsStorage says where it is; give the identity the role Storage Blob Data Owner on the account',
      async run() {
        const values = new ValueStore(storage);
        await values.write('doctor-probe', Buffer.from('written by tributary doctor'));
        await values.read('doctor-probe');
        return '';
      },
    },
    ...streams.ces.map((stream): Check => {
      return {
        name: `Event Hub ${stream.eventHub}`,
        remedy:
          `the setting ${stream.connection} (or ${stream.connection}__fullyQualifiedNamespace) says where it is; give the identity ` +
          'the role Azure Event Hubs Data Receiver; where events wait, look at the log of the app',
        async run() {
          const reader = new HubReader(stream, storage, settings);
          try {
            const watch = new HubWatch(() => reader.read());
            await watch.touch();
            const partitions = (await watch.lately()) ?? [];
            const waiting = partitions.reduce((sum, { waitingEvents }) => sum + waitingEvents, 0);
            return `${partitions.length} partitions, ${waiting} events wait`;
          } finally {
            await reader.close().catch(() => undefined);
          }
        },
      };
    }),
    ...streams.blob.map((stream): Check => {
      return {
        name: `change feed ${stream.stream}`,
        remedy:
          `the setting ${stream.connection} says where it is; enable the change feed of the account, and give the identity the role ` +
          'Storage Blob Data Reader',
        async run() {
          const account = storageConnection(settings, stream.connection);
          if (account === undefined) throw new Error(`the setting ${stream.connection} is missing`);
          const feed = await openBlobFeed(account);
          const index = await feed.read(SEGMENT_INDEX);
          return index === undefined ? 'enabled, nothing recorded yet' : 'enabled';
        },
      };
    }),
  ];
}

function appChecks(options: ApiOptions, context: CommandContext): Check[] {
  return [
    {
      name: 'app health',
      remedy: 'start it (`npm start`, or in the portal), or name it with --url; its log says what keeps it down',
      async run() {
        const { url } = await apiTarget(options, context);
        const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(TIME_LIMIT_MS) });
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
        return url;
      },
    },
    {
      name: 'app key',
      remedy: 'give a function key of the app with --key or TRIBUTARY_KEY (portal: App keys)',
      async run() {
        await callApi(await apiTarget(options, context), 'status');
        return '';
      },
    },
  ];
}

async function resultOf({ name, remedy, run }: Check): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIME_LIMIT_MS / 1_000} s`)), TIME_LIMIT_MS);
  });
  try {
    return { name, ok: true, detail: await Promise.race([run(), limit]), remedy };
  } catch (error) {
    return {
      name,
      ok: false,
      detail: error instanceof Error ? error.message.split('\n').join(' ') : String(error),
      remedy,
    };
  } finally {
    clearTimeout(timer);
  }
}
