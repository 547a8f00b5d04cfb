import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { HostConfigurationError, messageOf } from './errors.ts';

const MS_PER_SECOND = 1000;
/** The default of the Flex Consumption plan. */
const DEFAULT_FUNCTION_TIMEOUT = '00:30:00';

const TIME_SPAN = /^(?:(\d+)\.)?(\d{1,2}):(\d{1,2}):(\d{1,2}(?:\.\d{1,7})?)$/;

/** Milliseconds of a .NET time span (`[d.]hh:mm:ss[.fffffff]`), or undefined when the text is none. */
export function parseTimeSpanMs(text: string): number | undefined {
  const match = TIME_SPAN.exec(text);
  if (match === null) {
    return undefined;
  }
  const [days, hours, minutes, seconds] = match.slice(1, 5).map((part) => Number(part ?? 0));
  const wholeMinutes = ((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0);
  return Math.round((wholeMinutes * 60 + (seconds ?? 0)) * MS_PER_SECOND);
}

const timeSpan = z.string().transform((text, context) => {
  const milliseconds = parseTimeSpanMs(text);
  if (milliseconds === undefined) {
    context.addIssue({ code: 'custom', message: `"${text}" is no time span such as "00:05:00"` });
    return z.NEVER;
  }
  return milliseconds;
});

const initialOffset = z.discriminatedUnion('type', [
  z.object({ type: z.literal('fromStart') }),
  z.object({ type: z.literal('fromEnd') }),
  z.object({ type: z.literal('fromEnqueuedTime'), enqueuedTimeUtc: z.iso.datetime({ offset: true }) }),
]);
export type InitialOffset = z.infer<typeof initialOffset>;

const eventHubs = z.object({
  maxEventBatchSize: z.int().min(1).default(100),
  // A larger minimum makes the extension hold events back; nothing here does that, so it must not pass unnoticed.
  minEventBatchSize: z.literal(1).default(1),
  batchCheckpointFrequency: z.int().min(1).default(1),
  prefetchCount: z.int().min(1).default(300),
  initialOffsetOptions: initialOffset.default({ type: 'fromStart' }),
});
export type EventHubOptions = z.infer<typeof eventHubs>;

const hostJson = z.object({
  version: z.literal('2.0'),
  functionTimeout: z.union([z.literal('-1').transform(() => undefined), timeSpan]).prefault(DEFAULT_FUNCTION_TIMEOUT),
  extensions: z
    .object({
      http: z.object({ routePrefix: z.string().default('api') }).prefault({}),
      eventHubs: eventHubs.prefault({}),
    })
    .prefault({}),
});

/** The part of `host.json` that the local host obeys; defaults are those of the real host and its extension 6.x. */
export interface HostJson {
  /** Undefined: no limit. */
  readonly functionTimeoutMs: number | undefined;
  /** Without slashes at its ends; may be empty. */
  readonly routePrefix: string;
  readonly eventHubs: EventHubOptions;
}

/** Reads `host.json` of an app folder. Throws {@link HostConfigurationError} when it is missing or wrong. */
export function readHostJson(appRoot: string): HostJson {
  const path = join(appRoot, 'host.json');
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new HostConfigurationError(`${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
  const parsed = hostJson.safeParse(content);
  if (!parsed.success) {
    throw new HostConfigurationError(`${path} is wrong:\n${z.prettifyError(parsed.error)}`, { cause: parsed.error });
  }
  return {
    functionTimeoutMs: parsed.data.functionTimeout,
    routePrefix: parsed.data.extensions.http.routePrefix.replace(/^\/+|\/+$/g, ''),
    eventHubs: parsed.data.extensions.eventHubs,
  };
}
