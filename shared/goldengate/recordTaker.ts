import type { Deadline } from '../body/deadline.ts';
import type { GoldenGateStream } from '../config.ts';
import type { ArrivalDelivery, PendingChange } from '../ingest/arrival.ts';
import { arrivalText, clockOfArrival } from '../ingest/arrivalToken.ts';
import type { Arrivals, ParkingLot } from '../ingest/arrivedBefore.ts';
import type { Outcome } from '../ingest/delivery.ts';
import type { WaitingRecord } from '../ingest/parking.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { RequestClock } from '../ingest/requestClock.ts';
import type { TableFloors } from '../ingest/tableFloors.ts';
import type { Truncations } from '../ingest/truncations.ts';
import type { GoldenGateCatalog } from './catalog.ts';
import { asRecorded, type GatheredRecord, type Reading } from './formerKeys.ts';
import type { JsonObject } from './members.ts';
import type { DataRecord, GoldenGateRecord } from './record.ts';
import { schemaTypes } from './schemaTypes.ts';
import { type Position, type ReadRecord, type StreamReader, unprocessable } from './stream.ts';
import { KnownTables } from './tables.ts';
import { truncatesTable } from './truncateStatement.ts';
import type { WaitingTables } from './waitingTables.ts';

export interface RecordTakerParts {
  readonly stream: string;
  readonly settings: GoldenGateStream;
  readonly reader: StreamReader;
  readonly catalog: GoldenGateCatalog;
  readonly arrivals: Arrivals;
  readonly parking: ParkingLot;
  readonly truncations: Truncations;
  readonly waitingTables: WaitingTables;
  readonly deadline: Deadline;
}

/** A data record on its way: what it became, and where its outcome belongs. */
interface Arriving {
  readonly at: number;
  readonly delivery: ArrivalDelivery;
}

const NO_FLOORS: TableFloors = new Map();

/**
 * Makes the records of one request durable, in their order. Rows wait for nothing but their own kind, so data records are
 * gathered; whatever is about a table first sends what has been gathered on its way, then does its own part:
 * - Metadata goes into the catalog, and what waited for it is replayed, in this request.
 * - A statement or a truncation is recorded among the changes, then the catalog learns of it. A death in between is made
 *   good when the request comes again: the change is known then, and the catalog learns of it all the same. A truncation
 *   may come as a statement: it changes no columns, so what is known of the table stays as it was.
 * A record whose table's key nobody knows is parked, and the catalog looked at once more: the metadata may have come
 * through another instance since. What was parked before the settings named the key is replayed before the first record
 * of its table.
 */
export class RecordTaker {
  /** Outcomes of records that had waited. */
  readonly replayed: Outcome[] = [];
  /** When the newest row change was committed, ISO 8601; null while there is none. */
  newestAt: string | null = null;
  readonly #parts: RecordTakerParts;
  readonly #tables: KnownTables;
  readonly #clock: RequestClock;
  #gathered: GatheredRecord[] = [];
  #bad: Arriving[] = [];

  constructor(parts: RecordTakerParts) {
    this.#parts = parts;
    this.#tables = new KnownTables(parts.catalog);
    this.#clock = new RequestClock(parts.deadline.startedAt);
  }

  /** `index`: place of the first record in the request. Throws StoreUnavailableError. */
  async take(records: readonly ReadRecord[], index: number): Promise<Outcome[]> {
    const outcomes = new Array<Outcome>(records.length);
    for (const [at, record] of records.entries()) {
      const { content } = record;
      if (content instanceof UnprocessableError) this.#reject(record, at, index, content);
      else if (content.kind === 'nothing') outcomes[at] = { outcome: 'ignored' };
      else if (content.kind !== 'data') await this.#takeMetadata(record, content, at, index, outcomes);
      else if (content.op === 'ddl' || content.op === 'truncate') {
        await this.#flush(index, outcomes);
        await this.#takeTableChange(record, content, at, index, outcomes);
      } else this.#gathered.push({ at, record, data: content });
    }
    await this.#flush(index, outcomes);
    return outcomes;
  }

  /** Replays what waits for `table` if its key is known. Throws StoreUnavailableError. */
  async replayIfKnown(table: string): Promise<void> {
    const isTold = await this.#tables.reload(table);
    if (isTold || this.#parts.waitingTables.isConfigured(table)) await this.#replay(table);
  }

  async #takeMetadata(
    record: ReadRecord,
    content: Exclude<GoldenGateRecord, DataRecord | { kind: 'nothing' }>,
    at: number,
    index: number,
    outcomes: Outcome[],
  ): Promise<void> {
    const { catalog, reader } = this.#parts;
    try {
      if (content.kind === 'schema') {
        await catalog.recordSchema(content.id, content.schema);
        await this.#learnTypes(content.id, content.schema, index, outcomes);
      } else if (content.kind === 'stream') await catalog.recordStream(content.metadata);
      else {
        await this.#flush(index, outcomes);
        const table = reader.maker.tableOf(content.name);
        if (this.#tables.learn(table, await catalog.recordTable(table, content.columns))) await this.#replay(table);
      }
      outcomes[at] = { outcome: 'catalog' };
    } catch (error) {
      this.#reject(record, at, index, unprocessable(error));
    }
  }

  /** The schema of a table's rows has the last word on how a key is spelled. */
  async #learnTypes(id: string, schema: JsonObject, index: number, outcomes: Outcome[]): Promise<void> {
    const { catalog, reader, settings } = this.#parts;
    const declared = schemaTypes(id, schema, reader.maker.fields, settings.flattenDelimiter);
    if (declared === undefined) return;
    await this.#flush(index, outcomes);
    const table = reader.maker.tableOf(declared.name);
    this.#tables.learn(table, await catalog.recordTypes(table, declared.types));
  }

  async #takeTableChange(record: ReadRecord, data: DataRecord, at: number, index: number, outcomes: Outcome[]) {
    const { reader, catalog, truncations, settings, deadline } = this.#parts;
    const change = this.#changeOf(data, record);
    if (change instanceof UnprocessableError || change === undefined) {
      const reason = change ?? new UnprocessableError('no-key', 'the record names no row');
      return this.#reject(record, at, index, reason);
    }
    const isStatement = data.op === 'ddl';
    const isTruncation = !isStatement || truncatesTable(data.record, reader.maker.fields);
    const isApplied = isTruncation && settings.truncate === 'apply';
    if (isApplied) this.#clock.pass(await truncations.newestClock(change.table, change.order.prefix));
    const [outcome] = await this.#ingest([{ ...rawOf(record), index: index + at, decoded: change }], NO_FLOORS);
    if (outcome === undefined || outcome.outcome === 'deadLettered') {
      outcomes[at] = outcome ?? { outcome: 'ignored' };
      return;
    }
    if (isApplied) await truncations.apply(change, () => deadline.isHalfOver);
    else if (!isTruncation) {
      const { table, identity, committedAt } = change;
      this.#tables.learn(table, await catalog.recordDdl(table, identity, committedAt));
    } else if (!isStatement && outcome.outcome !== 'duplicate') {
      outcomes[at] = { outcome: 'ignored' };
      return;
    }
    outcomes[at] = outcome;
  }

  #reject(record: ReadRecord, at: number, index: number, decoded: UnprocessableError): void {
    this.#bad.push({ at, delivery: { ...rawOf(record), index: index + at, decoded } });
  }

  /** Makes what has been gathered durable. */
  async #flush(index: number, outcomes: Outcome[]): Promise<void> {
    const { reader, settings, truncations, stream, waitingTables } = this.#parts;
    const gathered = this.#gathered;
    const arriving = this.#bad;
    this.#gathered = [];
    this.#bad = [];
    if (gathered.length + arriving.length === 0) return;
    const tables = gathered.map(({ data }) => reader.maker.tableOf(data.name));
    await this.#tables.load(tables);
    for (const table of waitingTables.unreleased(tables)) await this.#replay(table);
    const changes = await this.#changesOf(gathered);
    const waiting: { readonly at: number; readonly record: WaitingRecord }[] = [];
    gathered.forEach(({ at, record }, position) => {
      const change = changes[position];
      const raw = rawOf(record);
      if (change !== undefined) arriving.push({ at, delivery: { ...raw, index: index + at, decoded: change } });
      else {
        const arrival = arrivalText(this.#clock.nowMs, index + at);
        waiting.push({ at, record: { ...raw, waitingFor: tables[position] ?? '', arrival } });
      }
    });
    arriving.sort((a, b) => a.at - b.at);
    const floors = settings.truncate === 'apply' ? await truncations.floors(stream, tables) : NO_FLOORS;
    const taken = await this.#ingest(
      arriving.map(({ delivery }) => delivery),
      floors,
    );
    arriving.forEach(({ at }, position) => {
      outcomes[at] = taken[position] ?? { outcome: 'ignored' };
    });
    await this.#park(waiting, outcomes);
  }

  async #changesOf(gathered: readonly GatheredRecord[]): Promise<readonly Reading[]> {
    const { reader, arrivals } = this.#parts;
    const changes = gathered.map(({ data, record }) => this.#changeOf(data, record));
    return asRecorded(gathered, changes, this.#tables.formerly, reader.maker, arrivals);
  }

  #changeOf(data: DataRecord, record: ReadRecord): Reading {
    const { maker } = this.#parts.reader;
    try {
      const change = maker.change(data, this.#tables.of(maker.tableOf(data.name)), record.cloudEvent);
      const at = change?.committedAt ?? null;
      if (at !== null && (this.newestAt === null || at > this.newestAt)) this.newestAt = at;
      return change;
    } catch (error) {
      return unprocessable(error);
    }
  }

  async #ingest(deliveries: readonly ArrivalDelivery[], floors: TableFloors): Promise<Outcome[]> {
    const { arrivals, stream, deadline } = this.#parts;
    if (deliveries.length === 0) return [];
    const checkTime = () => deadline.check();
    const outcomes = await arrivals.ingest('goldengate', stream, deliveries, this.#clock, floors, checkTime);
    await this.#enforceFloors(deliveries, floors);
    return outcomes;
  }

  /** A truncation that began on another instance during a merge has to count for it. */
  async #enforceFloors(deliveries: readonly Pick<ArrivalDelivery, 'decoded'>[], floors: TableFloors): Promise<void> {
    const { truncations, settings, stream } = this.#parts;
    if (settings.truncate !== 'apply') return;
    const rows = deliveries.flatMap(({ decoded }) => {
      if (decoded instanceof UnprocessableError || decoded.keys === null) return [];
      const { table, key: id, keys, movedFrom } = decoded;
      const now = { table, id, keys };
      return movedFrom === undefined ? [now] : [now, { table, id: movedFrom.key, keys: movedFrom.keys }];
    });
    await truncations.enforce('goldengate', stream, floors, rows);
  }

  async #park(waiting: readonly { readonly at: number; readonly record: WaitingRecord }[], outcomes: Outcome[]) {
    if (waiting.length === 0) return;
    const { parking, stream } = this.#parts;
    const records = waiting.map(({ record }) => record);
    const parked = await parking.park('goldengate', stream, records, this.#clock);
    waiting.forEach(({ at }, position) => {
      outcomes[at] = parked[position] ?? { outcome: 'parked' };
    });
    for (const table of new Set(records.map(({ waitingFor }) => waitingFor))) await this.replayIfKnown(table);
  }

  async #replay(table: string): Promise<void> {
    const { parking, arrivals, settings, stream, truncations, deadline, waitingTables } = this.#parts;
    const take = async (records: readonly WaitingRecord[]) => {
      deadline.check();
      // What waited keeps its arrival, which may be of a clock that is ahead of this request's.
      for (const { arrival } of records) this.#clock.pass(clockOfArrival(arrival));
      const deliveries = await this.#readAgain(records);
      const floors = settings.truncate === 'apply' ? await truncations.floors(stream, [table]) : NO_FLOORS;
      const outcomes = await arrivals.replay('goldengate', stream, deliveries, floors);
      await this.#enforceFloors(deliveries, floors);
      return outcomes;
    };
    await waitingTables.release(table, async () => {
      deadline.check();
      this.replayed.push(...(await parking.replay(table, take)));
    });
  }

  async #readAgain(waiting: readonly WaitingRecord[]) {
    const gathered: GatheredRecord[] = [];
    const deliveries = waiting.map((record, at) => ({ ...record, decoded: this.#contentAgain(record, at, gathered) }));
    const changes = await this.#changesOf(gathered);
    gathered.forEach(({ at }, index) => {
      const [delivery, change] = [deliveries[at], changes[index]];
      if (delivery !== undefined && change !== undefined) delivery.decoded = change;
    });
    return deliveries;
  }

  /** What a record is that is no data, or whose key is not known; adds it to `gathered` where it is data. */
  #contentAgain(
    { bytes, position }: WaitingRecord,
    at: number,
    gathered: GatheredRecord[],
  ): PendingChange | UnprocessableError {
    const [record] = this.#parts.reader.readAgain(bytes, position);
    if (record === undefined) return new UnprocessableError('undecodable', 'there is no record in what was kept of it');
    const { content } = record;
    if (content instanceof UnprocessableError) return content;
    if (content.kind === 'data') gathered.push({ at, record, data: content });
    return new UnprocessableError('no-key', 'the table has no key');
  }
}

/** Equal bytes with equal attributes around them are one record, in whatever request they come. */
function rawOf({ part, position }: ReadRecord): { readonly bytes: Uint8Array; readonly position: Position } {
  return { bytes: part.bytes, position };
}
