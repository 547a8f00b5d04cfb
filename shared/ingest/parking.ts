import { createHash } from 'node:crypto';
import type { Source } from '../change/change.ts';
import { canonicalJson } from '../change/json.ts';
import { clockOfArrival } from './arrivalToken.ts';
import type { Outcome, RawRecord } from './delivery.ts';
import { eachInTurn } from './eachInTurn.ts';
import type { Kept, ParkedRecord, ParkedStorage, Unplaced, Wait } from './parkedStore.ts';
import type { Pipeline } from './pipeline.ts';
import { UnprocessableError } from './reasons.ts';
import type { RequestClock } from './requestClock.ts';

/**
 * Records that cannot be changes before something else has come: a table's key, a schema. They wait in the container
 * `parked`, each with its arrival, and are replayed in that order when what they wait for comes.
 *
 * Nothing is forgotten, whatever happens between two writes:
 * - A record is parked before it is answered. Sent again it is known, and keeps its place.
 * - Of the records of one request that wait for one thing, those are parked first that came first: what a crash leaves is a
 *   beginning, and what comes again joins it at its end.
 * - What is waited for is made durable first, then those who wait are looked for; a record is parked first, then what it
 *   waits for is looked for again. So of two instances that do the one and the other at once, at least one sees both.
 *   Where replicas lag so much that neither does, the sweep finds the record a minute later.
 * - A record is replayed first and removed then. After a crash in between it is replayed again, and its change is a
 *   duplicate by then.
 * Records whose wait lasts too long become dead letters (`no-key`) with their arrival, and are removed after that. Until then
 * those whose bytes are gone from the store wait too: whoever removed them may bring them back.
 */
export class Parking {
  readonly #storage: ParkedStorage;
  readonly #pipeline: Pipeline;
  readonly #timeoutMs: number;

  constructor(storage: ParkedStorage, pipeline: Pipeline, timeoutMs: number) {
    this.#storage = storage;
    this.#pipeline = pipeline;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Parks records that come for the first time, or as if so, in the order of their arrival; outcomes stand in that order.
   * Those that wait for one thing are replayed in it, and after what waited before them, also where clocks of instances differ
   * or an earlier attempt was cut off: an arrival that tells otherwise is put off, and `clock`, their request's, passes it.
   * The caller then has to look once more, in the store itself, whether what they wait for has come, and to call `replay` if
   * so. Throws StoreUnavailableError.
   */
  async park(
    source: Source,
    stream: string,
    records: readonly WaitingRecord[],
    clock: RequestClock,
  ): Promise<Outcome[]> {
    const kept = await this.#storage.keep(parkedRecords(source, stream, records));
    for (const { arrival } of kept) clock.pass(clockOfArrival(arrival));
    return this.#outcomesOf(source, stream, records, kept);
  }

  /** As `park`, for records that have come before, each with the arrival that it had then. */
  async parkArrived(source: Source, stream: string, records: readonly WaitingRecord[]): Promise<Outcome[]> {
    const kept = await this.#storage.keepArrived(parkedRecords(source, stream, records));
    return this.#outcomesOf(source, stream, records, kept);
  }

  async #outcomesOf(
    source: Source,
    stream: string,
    records: readonly WaitingRecord[],
    kept: readonly Kept[],
  ): Promise<Outcome[]> {
    const refused = records.flatMap((record, index) => {
      const { arrival = record.arrival, rejected } = kept[index] ?? {};
      return rejected === undefined ? [] : [{ ...record, arrival }];
    });
    const fault = () => new UnprocessableError('store-rejected', 'the record was too large to wait');
    const letters = (await this.#deadLetter(source, stream, refused, fault)).values();
    return kept.map(({ rejected }) => {
      const letter = rejected === undefined ? undefined : letters.next().value;
      return letter ?? { outcome: 'parked' };
    });
  }

  /**
   * Hands those who wait for `waitingFor` to `take`, in order, some at a time. `take` answers with their outcomes; those
   * that are `parked` again go on waiting. Returns the others' outcomes. Throws what `take` throws, and
   * StoreUnavailableError.
   */
  async replay(
    waitingFor: string,
    take: (records: readonly WaitingRecord[]) => Promise<readonly Outcome[]>,
  ): Promise<Outcome[]> {
    const settled: Outcome[] = [];
    for await (const parked of this.#storage.waitingFor(waitingFor)) {
      const whole = parked.filter(({ isLost }) => isLost !== true);
      const outcomes = whole.length === 0 ? [] : await take(whole.map(waitingRecord));
      const done = whole.filter((_, index) => outcomes[index]?.outcome !== 'parked');
      await this.#storage.remove(done);
      settled.push(...outcomes.filter(({ outcome }) => outcome !== 'parked'));
    }
    return settled;
  }

  /** What records of `source` wait for: for the sweep, which replays what has come unnoticed. */
  waits(source: Source): Promise<Wait[]> {
    return this.#storage.waits(source);
  }

  /**
   * Makes dead letters of the records of all sources that have waited too long. Returns how many. What fails for one stream
   * keeps no other from its turn. Throws at the end what failed.
   */
  async expire(): Promise<number> {
    let expired = 0;
    const overdue = this.#storage.parkedBefore(new Date(Date.now() - this.#timeoutMs).toISOString());
    await eachInTurn(overdue, (some) =>
      eachInTurn(Map.groupBy(some, ({ source, stream }) => `${source}/${stream}`).values(), async (records) => {
        const [first] = records;
        if (first === undefined) return;
        const waiting = records.map(waitingRecord);
        const lost = new Set(waiting.filter((_, index) => records[index]?.isLost === true));
        const fault = (record: WaitingRecord) => {
          const detail = `waited in vain for ${record.waitingFor}${lost.has(record) ? BYTES_LOST : ''}`;
          return new UnprocessableError('no-key', detail);
        };
        await this.#deadLetter(first.source, first.stream, waiting, fault);
        await this.#storage.remove(records);
        expired += records.length;
      }),
    );
    return expired;
  }

  #deadLetter(
    source: Source,
    stream: string,
    records: readonly WaitingRecord[],
    faultOf: (record: WaitingRecord) => UnprocessableError,
  ): Promise<Outcome[]> {
    const deliveries = records.map((record) => {
      const { position, bytes, arrival } = record;
      return { position, bytes, arrival, decoded: faultOf(record) };
    });
    return this.#pipeline.ingest(source, stream, deliveries);
  }
}

/** A record, what it waits for (at most 1,000 bytes), and when it came. */
export interface WaitingRecord extends RawRecord {
  readonly waitingFor: string;
  readonly arrival: string;
  /** What its source has to know of the moment it came when it is replayed. */
  readonly context?: string;
}

const BYTES_LOST = '; its bytes are gone from Blob Storage, and what is kept only names them';

function parkedRecords(source: Source, stream: string, records: readonly WaitingRecord[]): Unplaced[] {
  const parkedAt = new Date().toISOString();
  return records.map((record) => parkedRecord(source, stream, record, parkedAt));
}

function parkedRecord(source: Source, stream: string, record: WaitingRecord, parkedAt: string): Unplaced {
  const { waitingFor, arrival, position, bytes, context } = record;
  const content = createHash('sha256')
    .update(`${source}\n${stream}\n${canonicalJson(position)}\n`)
    .update(bytes);
  const id = content.digest('base64url');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return {
    id,
    waitingFor,
    source,
    stream,
    arrival,
    position,
    bytes: text,
    parkedAt,
    ...(context === undefined ? {} : { context }),
  };
}

function waitingRecord({ waitingFor, arrival, position, bytes, context }: ParkedRecord): WaitingRecord {
  const record = { waitingFor, arrival, position, bytes: Buffer.from(bytes, 'base64') };
  return context === undefined ? record : { ...record, context };
}
