import { z } from 'zod';
import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';

export type EventFields = { readonly [name: string]: JsonValue };

/** What every event must say for its place in the history to be known. All else may be missing, new, or `null`. */
export interface FeedEvent {
  readonly id: string;
  readonly eventType: string;
  /** ISO 8601, with seven decimals. */
  readonly eventTime: string;
  readonly subject: string;
  /** Orders the events of one blob by plain comparison; opaque. */
  readonly sequencer: string;
  readonly data: EventFields;
  /** The event as it was written, every field of it. */
  readonly whole: EventFields;
}

/** Internal records of the feed itself: they say nothing about any blob. */
const CONTROL = 'Control';

const text = z.string().min(1);
const event = z.object({ id: text, eventType: text, eventTime: text, subject: z.string(), data: z.object({}) });

/** Undefined for an internal record. Throws UnprocessableError for a record that is no event. */
export function readEvent(record: JsonValue): FeedEvent | undefined {
  const parsed = event.safeParse(record);
  if (!parsed.success) {
    const names = parsed.error.issues.map(({ path }) => path.join('.')).join(', ');
    throw new UnprocessableError('invalid-envelope', `the record lacks what every event has: ${names || 'fields'}`);
  }
  if (parsed.data.eventType === CONTROL) return undefined;
  const whole = record as EventFields;
  const data = whole.data as EventFields;
  const { sequencer } = data;
  if (typeof sequencer !== 'string' || sequencer === '') {
    throw new UnprocessableError('no-order', 'the event has no sequencer');
  }
  return { ...parsed.data, sequencer, data, whole };
}
