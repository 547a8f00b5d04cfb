import { arrivalText } from '../ingest/arrivalToken.ts';
import type { ParkingLot } from '../ingest/arrivedBefore.ts';
import type { Outcome } from '../ingest/delivery.ts';
import type { WaitingRecord } from '../ingest/parking.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { RequestClock } from '../ingest/requestClock.ts';
import type { DataRecord, DataTaker, TakingContext, Waiting } from './dataTaker.ts';
import { LOAD_PAUSE_MS, type Loads } from './loads.ts';
import type { MetadataMessage } from './message.ts';
import { readMetadata, type TableVersion } from './metadata.ts';
import { type OpenedRecord, openBytes, type SchemaName } from './openRecord.ts';
import { unprocessable } from './resolve.ts';
import type { SchemaCatalog } from './schemaCatalog.ts';
import type { MessageFormat } from './shapes.ts';
import { waitForSchema, waitForTable } from './waiting.ts';

/** A record of a request. */
export interface RequestRecord {
  readonly bytes: Uint8Array;
  /** Place in the request, from 0. */
  readonly index: number;
  readonly opened: OpenedRecord | UnprocessableError;
}

export interface RecordTakerParts {
  readonly stream: string;
  readonly schemas: SchemaCatalog;
  readonly data: DataTaker;
  readonly loads: Loads;
  readonly parking: ParkingLot;
  readonly format: MessageFormat;
  readonly nestingLevels: number;
  /** Told of records that waited and have been settled, when they have been. */
  readonly onReplayed: (outcomes: readonly Outcome[]) => void;
}

/** Ends a replay at its first look. */
class StillWaiting extends Error {
  override readonly name = 'StillWaiting';
}

/**
 * Makes the records of requests durable, in this order:
 * 1. Metadata goes into the catalog, and what waited for it is replayed: it arrived before everything that follows.
 * 2. Data messages whose table is known become changes.
 * 3. The others are parked. What they wait for may have come meanwhile through another instance, which then found nobody
 *    waiting; so the catalog is looked at once more.
 */
export class RecordTaker {
  readonly #parts: RecordTakerParts;

  constructor(parts: RecordTakerParts) {
    this.#parts = parts;
  }

  /** Outcomes stand in the order of `records`. `clockMs`: when the request came in. Throws StoreUnavailableError. */
  async take(records: readonly RequestRecord[], clockMs: number): Promise<Outcome[]> {
    const outcomes = new Array<Outcome>(records.length);
    const data: { readonly at: number; readonly record: DataRecord }[] = [];
    for (const [at, { bytes, index, opened }] of records.entries()) {
      const read = isMetadata(opened) ? await this.#takeMetadata(opened) : opened;
      if (read === 'catalog') outcomes[at] = { outcome: 'catalog' };
      else if (!(read instanceof UnprocessableError) && read.kind === 'nothing') outcomes[at] = { outcome: 'ignored' };
      else data.push({ at, record: { bytes, index, opened: read } });
    }
    const waiting = new Map<string, DataRecord>();
    const taken = await this.#parts.data.take(
      data.map(({ record }) => record),
      {
        clockMs,
        park: (records) => {
          for (const { waitingFor, record } of records) if (!waiting.has(waitingFor)) waiting.set(waitingFor, record);
          return this.#park(records, clockMs);
        },
      },
    );
    data.forEach(({ at }, index) => {
      outcomes[at] = taken.outcomes[index] ?? { outcome: 'ignored' };
    });
    for (const name of taken.released) await this.replay(name);
    await this.#replayWhatCame(waiting);
    return outcomes;
  }

  /** Replays what waits for `waitingFor`, in order; what has to wait for something else does so. Throws StoreUnavailableError. */
  async replay(waitingFor: string): Promise<void> {
    const { parking, onReplayed } = this.#parts;
    onReplayed(await parking.replay(waitingFor, this.#takerOfWaiting(waitingFor)));
  }

  /** As `replay`, but looks at one record only while what it waits for has not come. */
  async replayIfCome(waitingFor: string): Promise<void> {
    const { parking, onReplayed, data } = this.#parts;
    const takeAll = this.#takerOfWaiting(waitingFor);
    const take = async (records: readonly WaitingRecord[]) => {
      const [first] = records;
      if (first !== undefined && (await data.waits(this.#dataRecord(first, 0), waitingFor))) throw new StillWaiting();
      return takeAll(records);
    };
    try {
      onReplayed(await parking.replay(waitingFor, take));
    } catch (error) {
      if (!(error instanceof StillWaiting)) throw error;
    }
  }

  async replaySchema(schema: SchemaName): Promise<void> {
    await this.replay(waitForSchema(this.#parts.stream, schema));
  }

  /** The fault of a metadata message that cannot be read, as a record. */
  async #takeMetadata(message: MetadataMessage): Promise<'catalog' | UnprocessableError> {
    let version: TableVersion;
    try {
      version = readMetadata(message);
    } catch (error) {
      return unprocessable(error);
    }
    const { stream, schemas } = this.#parts;
    await schemas.saveVersion(version);
    await this.replaySchema({ from: 'metadata', schemaId: version.schemaId });
    if (version.table !== null) await this.replay(waitForTable(stream, version.table));
    return 'catalog';
  }

  /**
   * A record that comes again keeps its place and what it remembers, unless as much time has passed as lies between two
   * loads: then it may be the same row of another load, which has a place of its own.
   */
  async #park(waiting: readonly Waiting[], clockMs: number): Promise<Outcome[]> {
    const position = { around: new Date(clockMs - (clockMs % LOAD_PAUSE_MS)).toISOString() };
    const records = waiting.map(({ record: { bytes, index }, waitingFor, shown }) => {
      return { position, bytes, waitingFor, arrival: arrivalText(clockMs, index), context: shown };
    });
    return this.#parts.parking.park('qlik', this.#parts.stream, records, new RequestClock(clockMs));
  }

  /** `waiting`: name -> a record that waits for it. */
  async #replayWhatCame(waiting: ReadonlyMap<string, DataRecord>): Promise<void> {
    const { schemas, data } = this.#parts;
    if (waiting.size > 0) schemas.forgetMissing();
    for (const [waitingFor, record] of waiting) {
      if (!(await data.waits(record, waitingFor))) await this.replay(waitingFor);
    }
  }

  /** Takes those who wait for `waitingFor`, some at a time. */
  #takerOfWaiting(waitingFor: string): (records: readonly WaitingRecord[]) => Promise<Outcome[]> {
    const { stream, data, parking, loads } = this.#parts;
    let shownBefore: string | undefined;
    return async (records) => {
      const waited = records.map((record, index) => this.#dataRecord(record, index));
      const park: TakingContext['park'] = async (waiting) => {
        const moved = waiting.flatMap(({ record, waitingFor: other }): WaitingRecord[] => {
          const original = records[record.index];
          return original === undefined || other === waitingFor ? [] : [{ ...original, waitingFor: other }];
        });
        if (moved.length > 0) await parking.parkArrived('qlik', stream, moved);
        // What is parked under another name is settled as far as this wait goes.
        return waiting.map((each) => ({ outcome: each.waitingFor === waitingFor ? 'parked' : 'ignored' }));
      };
      shownBefore ??= await loads.replayed(waitingFor);
      const { outcomes, shown } = await data.take(waited, { clockMs: Date.now(), park, shownBefore });
      if (shown > shownBefore) await loads.noteReplayed(waitingFor, shown);
      shownBefore = shown;
      return [...outcomes];
    };
  }

  #dataRecord({ bytes, arrival, context }: WaitingRecord, index: number): DataRecord {
    const record = { bytes, index, arrival, opened: this.#opened(bytes) };
    return context === undefined ? record : { ...record, shown: context };
  }

  #opened(bytes: Uint8Array): DataRecord['opened'] {
    try {
      const opened = openBytes(bytes, this.#parts.format, this.#parts.nestingLevels);
      if (opened.kind === 'data' || opened.kind === 'encoded') return opened;
      return new UnprocessableError('invalid-envelope', 'a record that waited is no data message');
    } catch (error) {
      return unprocessable(error);
    }
  }
}

function isMetadata(opened: RequestRecord['opened']): opened is MetadataMessage {
  return !(opened instanceof UnprocessableError) && opened.kind === 'metadata';
}
