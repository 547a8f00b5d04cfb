import type { NormalizedChange } from '../change/change.ts';
import type { Outcome, RawRecord } from './delivery.ts';
import type { DeadLetterReason, UnprocessableError } from './reasons.ts';

/** A record that became a dead letter, as it came. */
export interface DeadRecord extends RawRecord {
  readonly reason: DeadLetterReason;
  /** All messages of a record that came in several; empty for one that came in one. */
  readonly pieces: readonly RawRecord[];
  /** ISO 8601. */
  readonly receivedAt: string;
}

/** A change as far as a record alone tells it: where arrival decides its order, it has no token before it is taken in. */
export type DecodedChange = Omit<NormalizedChange, 'token'> & { readonly token?: string };

/**
 * What a source does with records of its own that became dead letters. Each may be taken in any number of times, at any
 * time, while the same or newer records of the stream come in: it goes the way that every record of the stream goes, with
 * the position, and where that matters the arrival, that it had.
 */
export interface Replayer {
  /**
   * Takes the record in with today's code and settings; resolves when every effect is durable. Outcomes of all that the
   * record holds. What fails again has, from an equal position and equal bytes, the id of the dead letter that it has.
   * Throws StoreUnavailableError.
   */
  replay(record: DeadRecord): Promise<readonly Outcome[]>;
  /** What today's code makes of the record without asking the store. Never throws for what is in the record. */
  decode(record: DeadRecord): Promise<readonly (DecodedChange | UnprocessableError)[]>;
}
