import { z } from 'zod';
import { FIELDS } from './goldengate/fieldNames.ts';

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
  /** How long a record may wait for its table's key or schema before it becomes a dead letter. */
  readonly parkedTimeoutMs: number;
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
  /** Size of the body of an HTTP request as it is sent, and once it is decompressed. */
  readonly bodyBytes: number;
  readonly decompressedBytes: number;
  /** Levels of objects and arrays in one record. */
  readonly nestingLevels: number;
  readonly recordsPerRequest: number;
}

export type Streams = z.output<typeof streamsSchema>;
export type CesStream = Streams['ces'][number];
export type GoldenGateStream = Streams['goldengate'][string];
export type QlikStream = Streams['qlik'][string];
export type BlobStream = Streams['blob'][number];

/** Thrown when settings are missing or wrong; the message names all of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const SECONDS_PER_DAY = 86_400;
const MS_PER_HOUR = 3_600_000;
const MAX_HOURS = 24 * 365;
/** Cosmos DB takes documents of 128 levels; a record's own stand a few levels deep in ours. */
const MAX_NESTING_LEVELS = 120;
/** As many as an arrival can tell apart. */
const MAX_RECORDS_PER_REQUEST = 1_000_000;

/** A stream's name becomes part of table names, document ids and URLs. */
const streamName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be 1 to 63 letters, digits, ".", "_" or "-"');

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

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

const blobStream = z.strictObject({
  stream: streamName,
  /** Name of the setting (or prefix of the identity settings) that says how to reach the account. */
  connection: z.string().min(1).default('CHANGEFEED'),
  /** `streaming` reads the open segment too and comes back for its growth; `finalized` waits until it is closed. */
  mode: z.enum(['streaming', 'finalized']).default('streaming'),
  /** Where to begin while there is no cursor: a time, or the continuation token of an SDK; null for the first event there is. */
  start: z
    .union([z.iso.datetime({ offset: true }), z.record(z.string(), z.unknown())])
    .nullable()
    .default(null),
  /** Whether to go on after a stretch of the feed that was lost. */
  onGap: z.enum(['stop', 'continue']).default('stop'),
});

/** What is special about one GoldenGate stream; streams without any of it need not be named. */
const goldenGateStream = z.strictObject({
  /** Our name of a field -> the stream's. */
  fields: z
    .partialRecord(z.enum(FIELDS), z.string().min(1), {
      error: (issue: object) =>
        'keys' in issue && Array.isArray(issue.keys)
          ? `there is no field ${issue.keys.join(', ')}: the fields are ${FIELDS.join(', ')}`
          : undefined,
    })
    .default({}),
  /** The stream's label of an operation -> ours; the label `""` stands for records without an operation. */
  operations: z.record(z.string(), z.enum(['insert', 'update', 'delete', 'upsert', 'truncate', 'ddl'])).default({}),
  /** Qualified table name -> its key columns, for tables of which the stream does not tell. */
  keys: z.record(z.string(), z.array(z.string().min(1)).min(1)).default({}),
  /** `arrival` for streams whose `op_ts` cannot be relied on. */
  order: z.enum(['op_ts', 'arrival']).default('op_ts'),
  /** Of times without a zone. */
  timeZone: z.string().refine(isTimeZone, 'is not the name of a time zone').default('UTC'),
  /** `null` for streams that leave columns out because they are null. */
  absent: z.enum(['unknown', 'null']).default('unknown'),
  /** `apply` empties a truncated table. */
  truncate: z.enum(['report', 'apply']).default('report'),
  /** Between an image's name and a column's, in streams that flatten their images. */
  flattenDelimiter: z.string().max(32).default('.'),
});

/** The settings of a stream that is not named. */
export const DEFAULT_GOLDENGATE_STREAM: GoldenGateStream = goldenGateStream.parse({});

/**
 * How a Qlik stream lays its messages out: our name of a section -> theirs. Replicate lets its users rename sections and
 * flatten them (`""`: the members stand where the section would).
 */
const qlikFormat = z.strictObject({
  message: z.string().default('message'),
  data: z.string().default('data'),
  beforeData: z.string().min(1).default('beforeData'),
  headers: z.string().default('headers'),
  /** Where the names stand in the content, for instance `data.tableName` for a column that a transformation has added. */
  schema: z.string().min(1).default('schema'),
  table: z.string().min(1).default('table'),
});

/** What is special about one Qlik stream; streams without any of it need not be named. */
const qlikStream = z.strictObject({
  format: qlikFormat.prefault({}),
  /** The table of messages that do not name theirs. */
  table: z.string().min(1).optional(),
  /** Qualified table name -> its key columns, for tables whose metadata does not tell. */
  keys: z.record(z.string(), z.array(z.string().min(1)).min(1)).default({}),
});

/** The settings of a stream that is not named. */
export const DEFAULT_QLIK_STREAM: QlikStream = qlikStream.parse({});

const streamsSchema = z.strictObject({
  ces: z.array(cesStream).default([]),
  goldengate: z.record(streamName, goldenGateStream).default({}),
  blob: z.array(blobStream).default([]),
  qlik: z.record(streamName, qlikStream).default({}),
});

const DEFAULT_STREAMS = { ces: [{ stream: 'ces', eventHub: 'ces' }], blob: [{ stream: 'devstoreaccount1' }] };

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
  PARKED_TIMEOUT_HOURS: z.coerce.number().positive().max(MAX_HOURS).default(24),
  BODY_BYTES_MAX: z.coerce.number().int().positive().default(25_165_824),
  DECOMPRESSED_BYTES_MAX: z.coerce.number().int().positive().default(100_663_296),
  NESTING_LEVELS_MAX: z.coerce.number().int().positive().max(MAX_NESTING_LEVELS).default(100),
  RECORDS_PER_REQUEST_MAX: z.coerce.number().int().positive().max(MAX_RECORDS_PER_REQUEST).default(200_000),
  SEGMENTS_PER_EVENT_MAX: z.coerce.number().int().positive().default(1024),
  BYTES_PER_EVENT_MAX: z.coerce.number().int().positive().default(67_108_864),
  AzureWebJobsStorage: z.string().optional(),
  AzureWebJobsStorage__blobServiceUri: z.url().optional(),
  AzureWebJobsStorage__accountName: z.string().optional(),
});

/** The names of all settings that the app itself reads; what triggers read goes by the names of connections. */
export const SETTING_NAMES: readonly string[] = Object.keys(settings.shape);

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
  for (const source of ['ces', 'blob'] as const) {
    const names = values.STREAMS[source].map(({ stream }) => stream);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined)
      throw new ConfigError(`These settings need attention:\n  STREAMS.${source}: two streams are named ${twice}`);
  }
  return {
    streams: values.STREAMS,
    cosmos: { endpoint: values.COSMOS_ENDPOINT, key: values.COSMOS_KEY, database: values.COSMOS_DATABASE },
    changesHistory: values.CHANGES_HISTORY,
    changesTtlSeconds: Math.round(values.CHANGES_TTL_DAYS * SECONDS_PER_DAY),
    tombstoneTtlSeconds: Math.round(values.TOMBSTONE_TTL_DAYS * SECONDS_PER_DAY),
    segmentTimeoutMs: values.SEGMENT_TIMEOUT_HOURS * MS_PER_HOUR,
    parkedTimeoutMs: values.PARKED_TIMEOUT_HOURS * MS_PER_HOUR,
    storage: storageOf(values),
    limits: {
      segmentsPerEvent: values.SEGMENTS_PER_EVENT_MAX,
      bytesPerEvent: values.BYTES_PER_EVENT_MAX,
      bodyBytes: values.BODY_BYTES_MAX,
      decompressedBytes: values.DECOMPRESSED_BYTES_MAX,
      nestingLevels: values.NESTING_LEVELS_MAX,
      recordsPerRequest: values.RECORDS_PER_REQUEST_MAX,
    },
  };
}

function storageOf(values: Readonly<Record<string, unknown>>): StorageConnection {
  const connection = storageConnection(values, 'AzureWebJobsStorage');
  if (connection !== undefined) return connection;
  throw new ConfigError(
    'These settings need attention:\n  AzureWebJobsStorage: how to reach the storage account of the app is missing',
  );
}

/**
 * How to reach the storage account that the settings under `name` describe, as triggers have it: a connection string, the
 * address of its blob service, or its name. Undefined when there are none of them.
 */
export function storageConnection(
  environment: Readonly<Record<string, unknown>>,
  name: string,
): StorageConnection | undefined {
  const setting = (suffix: string) => {
    const value = environment[`${name}${suffix}`];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const connectionString = setting('');
  if (connectionString !== undefined) return { connectionString };
  const account = setting('__accountName');
  const serviceUri = setting('__blobServiceUri') ?? (account && `https://${account}.blob.core.windows.net`);
  return serviceUri === undefined ? undefined : { serviceUri };
}
