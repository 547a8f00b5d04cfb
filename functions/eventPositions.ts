import { z } from 'zod';
import type { HubEvent } from '../shared/ces/batch.ts';

/**
 * The worker hands 64-bit numbers over as a number, a text, or a Long stripped of its prototype, depending on its
 * version (azure-functions-nodejs-worker issue 844).
 */
const sequenceNumber = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^-?\d+$/)
      .transform(Number),
    z.object({ low: z.int(), high: z.int() }).transform(({ low, high }) => high * 2 ** 32 + (low >>> 0)),
  ])
  .refine(Number.isSafeInteger);

/**
 * `systemPropertiesArray` is the one array of the metadata that is aligned with the bodies: the host drops empty
 * partition keys from theirs, and JSON-parses offsets. Names are matched loosely, for hosts differ in their case.
 */
const systemProperties = z.record(z.string(), z.unknown());

const metadata = z.object({
  systemPropertiesArray: z.array(systemProperties).catch([]),
  partitionContext: z.object({ partitionId: z.string() }).optional().catch(undefined),
});

/** Pairs each body of a batch with its position. Throws TypeError when the host did not hand over bytes. */
export function eventPositions(bodies: unknown, triggerMetadata: unknown): HubEvent[] {
  if (!Array.isArray(bodies)) throw new TypeError('the Event Hub trigger must have cardinality "many"');
  const { systemPropertiesArray, partitionContext } = metadata
    .catch({ systemPropertiesArray: [], partitionContext: undefined })
    .parse(triggerMetadata);
  const isAligned = systemPropertiesArray.length === bodies.length;
  return bodies.map((bytes: unknown, index) => {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('the Event Hub trigger must have dataType "binary"');
    const properties = isAligned ? lowerCased(systemPropertiesArray[index] ?? {}) : {};
    return {
      bytes,
      partition: partitionContext?.partitionId ?? null,
      sequenceNumber: sequenceNumber
        .nullable()
        .catch(null)
        .parse(properties.sequencenumber ?? properties['x-opt-sequence-number']),
      offset: text(properties.offset ?? properties['x-opt-offset']),
      enqueuedAt: time(properties.enqueuedtimeutc ?? properties['x-opt-enqueued-time']),
    };
  });
}

function lowerCased(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value]));
}

function text(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function time(value: unknown): string | null {
  const milliseconds = typeof value === 'string' || typeof value === 'number' ? new Date(value).getTime() : Number.NaN;
  return Number.isNaN(milliseconds) ? null : new Date(milliseconds).toISOString();
}
