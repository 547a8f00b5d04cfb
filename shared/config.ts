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
}

export type Streams = z.output<typeof streamsSchema>;
export type CesStream = Streams['ces'][number];

/** Thrown when settings are missing or wrong; the message names all of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const SECONDS_PER_DAY = 86_400;

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
  };
}
