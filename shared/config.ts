import { z } from 'zod';

/**
 * Every setting of the app, read from the environment once. `local.settings.sample.json` lists them with their defaults.
 */
export interface Config {
  readonly streams: Streams;
  readonly cosmos: {
    readonly endpoint: string;
    /** Only for local stacks; without it the app signs in with its identity. */
    readonly key: string | undefined;
    readonly database: string;
  };
  /** `off` skips the container `changes` where a change's token can be computed again from the change. */
  readonly changesHistory: 'on' | 'off';
  readonly changesTtlSeconds: number;
  readonly tombstoneTtlSeconds: number;
  /** How long an event may lack segments before it becomes a dead letter. */
  readonly segmentTimeoutMs: number;
  /** The account for what is too large for a document: the host's own. */
  readonly storage: StorageConnection;
  readonly limits: Limits;
}

/** How to reach a storage account: by a connection string locally, by the app's identity in Azure. */
export type StorageConnection = { readonly connectionString: string } | { readonly serviceUri: string };

/** What one event, record or request may take. Beyond it: a dead letter or an answer that says so, never out of memory. */
export interface Limits {
  readonly segmentsPerEvent: number;
  readonly bytesPerEvent: number;
}

export type Streams = z.output<typeof streamsSchema>;
export type CesStream = Streams['ces'][number];

/** Thrown when settings are missing or wrong; the message names all of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const SECONDS_PER_DAY = 86_400;
const MS_PER_HOUR = 3_600_000;
const MAX_HOURS = 24 * 365;

/** A stream's name becomes part of table names, document ids and URLs. */
const streamName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be 1 to 63 letters, digits, ".", "_" or "-"');

const epoch = z.strictObject({
  /** Enqueued time from which the epoch counts; null for the first. */
  from: z.iso.datetime({ offset: true }).nullable(),
  epoch: z.int().min(0).max(9999),
});

const cesStream = z.strictObject({
  stream: streamName,
  eventHub: z.string().min(1),
  /** Name of the setting (or prefix of the identity settings) that says how to reach the namespace. */
  connection: z.string().min(1).default('CES'),
  consumerGroup: z.string().min(1).default('$Default'),
  epochs: z
    .array(epoch)
    .min(1)
    .default([{ from: null, epoch: 0 }]),
  /** New name of a renamed database -> the name that its tables keep here. */
  databases: z.record(z.string(), z.string()).default({}),
});

const streamsSchema = z.strictObject({
  ces: z.array(cesStream).default([]),
});

const DEFAULT_STREAMS = { ces: [{ stream: 'ces', eventHub: 'ces' }] };

const streamsSetting = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    context.addIssue({ code: 'custom', message: `is not JSON: ${error instanceof Error ? error.message : error}` });
    return z.NEVER;
  }
});

const days = (fallback: number) => z.coerce.number().positive().max(3650).default(fallback);

const settings = z.object({
  STREAMS: streamsSetting.pipe(streamsSchema).prefault(JSON.stringify(DEFAULT_STREAMS)),
  COSMOS_ENDPOINT: z.url({ protocol: /^https?$/ }),
  COSMOS_KEY: z.string().min(1).optional(),
  COSMOS_DATABASE: z.string().min(1).default('tributary'),
  CHANGES_HISTORY: z.enum(['on', 'off']).default('on'),
  CHANGES_TTL_DAYS: days(7),
  TOMBSTONE_TTL_DAYS: days(90),
  SEGMENT_TIMEOUT_HOURS: z.coerce.number().positive().max(MAX_HOURS).default(24),
  SEGMENTS_PER_EVENT_MAX: z.coerce.number().int().positive().default(1024),
  BYTES_PER_EVENT_MAX: z.coerce.number().int().positive().default(67_108_864),
  AzureWebJobsStorage: z.string().optional(),
  AzureWebJobsStorage__blobServiceUri: z.url().optional(),
  AzureWebJobsStorage__accountName: z.string().optional(),
});

/**
 * Reads the settings from `environment`. An empty value counts as absent, as App Service has it.
 * Throws ConfigError with every problem in one message.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = settings.safeParse(present);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`These settings need attention:\n${problems.join('\n')}`, { cause: parsed.error });
  }
  const values = parsed.data;
  const names = values.STREAMS.ces.map(({ stream }) => stream);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new ConfigError(`These settings need attention:\n  STREAMS.ces: two streams are named ${twice}`);
  return {
    streams: values.STREAMS,
    cosmos: { endpoint: values.COSMOS_ENDPOINT, key: values.COSMOS_KEY, database: values.COSMOS_DATABASE },
    changesHistory: values.CHANGES_HISTORY,
    changesTtlSeconds: Math.round(values.CHANGES_TTL_DAYS * SECONDS_PER_DAY),
    tombstoneTtlSeconds: Math.round(values.TOMBSTONE_TTL_DAYS * SECONDS_PER_DAY),
    segmentTimeoutMs: values.SEGMENT_TIMEOUT_HOURS * MS_PER_HOUR,
    storage: storageOf(values),
    limits: { segmentsPerEvent: values.SEGMENTS_PER_EVENT_MAX, bytesPerEvent: values.BYTES_PER_EVENT_MAX },
  };
}

function storageOf(values: z.output<typeof settings>): StorageConnection {
  const { AzureWebJobsStorage: connectionString, AzureWebJobsStorage__accountName: account } = values;
  const serviceUri = values.AzureWebJobsStorage__blobServiceUri;
  if (connectionString !== undefined) return { connectionString };
  if (serviceUri !== undefined) return { serviceUri };
  if (account !== undefined) return { serviceUri: `https://${account}.blob.core.windows.net` };
  throw new ConfigError(
    'These settings need attention:\n  AzureWebJobsStorage: how to reach the storage account of the app is missing',
  );
}
