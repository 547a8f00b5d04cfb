import { parseArgs } from 'node:util';

/** What `npm start -- …` takes. */
export interface StartOptions {
  /** Only wants to know the options. */
  readonly help: boolean;
  /** Sends the sample traffic once everything is up. */
  readonly samples: boolean;
  /** Takes free ports instead of the well-known ones. */
  readonly ephemeral: boolean;
  /** Keeps the Cosmos DB gateway's data in a file from one start to the next. */
  readonly keep: boolean;
  /** Request units per second and container beyond which the Cosmos DB gateway throttles. */
  readonly requestUnitsPerSecond: number | undefined;
  /** Real parts in place of the local ones. */
  readonly cosmosEndpoint: string | undefined;
  /** From the environment: it must not show in a list of processes. */
  readonly cosmosKey: string | undefined;
  readonly eventHubsConnectionString: string | undefined;
  readonly storageConnectionString: string | undefined;
}

export const USAGE = `npm start -- [options]
  --help                   show this
  --no-samples             send no sample traffic
  --ephemeral              use free ports
  --keep                   keep the Cosmos DB gateway's data in .local/
  --ru N                   throttle the Cosmos DB gateway at N request units a second per container
  --cosmos URL             use this Cosmos DB account or emulator; its key in COSMOS_KEY
  --eventhubs CONNECTION   use this Event Hubs namespace
  --storage CONNECTION     use this storage account`;

/** Throws TypeError for an option that does not exist or a value that is missing. */
export function readOptions(args: readonly string[]): StartOptions {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      help: { type: 'boolean', default: false },
      'no-samples': { type: 'boolean', default: false },
      ephemeral: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      ru: { type: 'string' },
      cosmos: { type: 'string' },
      eventhubs: { type: 'string' },
      storage: { type: 'string' },
    },
  });
  const requestUnitsPerSecond = values.ru === undefined ? undefined : Number(values.ru);
  if (requestUnitsPerSecond !== undefined && !(requestUnitsPerSecond > 0)) {
    throw new TypeError(`--ru takes a positive number, not ${values.ru}`);
  }
  return {
    help: values.help,
    samples: !values['no-samples'],
    ephemeral: values.ephemeral,
    keep: values.keep,
    requestUnitsPerSecond,
    cosmosEndpoint: values.cosmos,
    cosmosKey: process.env.COSMOS_KEY,
    eventHubsConnectionString: values.eventhubs,
    storageConnectionString: values.storage,
  };
}
