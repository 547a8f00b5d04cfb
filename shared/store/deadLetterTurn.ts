import { arrivalText } from '../ingest/arrivalToken.ts';
import type { DeadLetterDocument } from './deadLetters.ts';

/** Digits of the numbers that order messages of one millisecond: a hub's sequence numbers are of 64 bits. */
const NUMBER_DIGITS = 19;

/**
 * Where a dead letter stands among those of its stream: unique text that compares as the records first came. That is not
 * as they became dead letters: records that waited together in vain do so in one moment. It comes from the arrival where
 * there is one, from the hub's time and number where a hub delivered the record, else from the time of receipt.
 */
export function turnOf({
  id,
  stream,
  arrival,
  position,
  receivedAt,
}: Pick<DeadLetterDocument, 'id' | 'stream' | 'arrival' | 'position' | 'receivedAt'>): string {
  const { enqueuedAt, sequenceNumber, envelope } = position;
  const enqueuedMs = typeof enqueuedAt === 'string' ? Date.parse(enqueuedAt) : Number.NaN;
  const cameMs = Number.isNaN(enqueuedMs) ? Date.parse(receivedAt) : enqueuedMs;
  return [arrival ?? arrivalText(cameMs, 0), padded(sequenceNumber), padded(envelope), stream, id].join(' ');
}

function padded(value: unknown): string {
  return String(typeof value === 'number' ? value : 0).padStart(NUMBER_DIGITS, '0');
}
