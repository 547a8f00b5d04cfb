import type { Source } from '../change/change.ts';
import type { JsonValue } from '../change/json.ts';

/** A document of the container `parked`: a record that cannot be a change before something else has come. */
export interface ParkedRecord {
  /** From the record's content, so that one that comes again is kept once, as it came first. */
  readonly id: string;
  /** What has to come: a table whose key is not known, a schema. At most 1,000 bytes. */
  readonly waitingFor: string;
  readonly source: Source;
  readonly stream: string;
  /** See `arrival.ts`. */
  readonly arrival: string;
  /** The arrival made unique: records that wait for the same thing are replayed in this order. */
  readonly place: string;
  readonly position: { readonly [name: string]: JsonValue };
  /** What its source has to know of the moment it came when it is replayed; of the first time, when it comes again. */
  readonly context?: string;
  /** The record as it came, base64. */
  readonly bytes: string;
  /** ISO 8601. */
  readonly parkedAt: string;
  /** Only on records read back: their bytes are gone from the store, and `bytes` is the text of the pointer to them. */
  readonly isLost?: true;
}

/** A record on its way; the store makes its place. */
export type Unplaced = Omit<ParkedRecord, 'place'>;

/** What some parked records wait for. */
export interface Wait {
  readonly source: Source;
  readonly stream: string;
  readonly waitingFor: string;
}

/** What became of a record that was to be kept. */
export interface Kept {
  /** The one that it has for good. */
  readonly arrival: string;
  /** The status with which the store refused it. */
  readonly rejected?: number;
}

/** Where records wait. Every method throws StoreUnavailableError. */
export interface ParkedStorage {
  /**
   * Keeps records that come for the first time, or as if so; one that is there already stays as it was. Those that wait for
   * one thing get in one after another, and whatever a crash leaves is a beginning. Each has an arrival after the one before
   * it, and after all that wait there already: its own, or a later one where that would not be.
   */
  keep(records: readonly Unplaced[]): Promise<Kept[]>;
  /** Keeps records whose arrival is fixed; one that is there already stays as it was. */
  keepArrived(records: readonly Unplaced[]): Promise<Kept[]>;
  /** Records that wait for `waitingFor`, in order: as many at a time as are small enough to be in memory at once. */
  waitingFor(waitingFor: string): AsyncIterable<readonly ParkedRecord[]>;
  remove(records: readonly Pick<ParkedRecord, 'id' | 'waitingFor'>[]): Promise<void>;
  /** Records parked before `time`, in the order of their arrival, a sweep's worth: as many at a time as `waitingFor` gives. */
  parkedBefore(time: string): AsyncIterable<readonly ParkedRecord[]>;
  /** Everything that records of `source` wait for. */
  waits(source: Source): Promise<Wait[]>;
}
