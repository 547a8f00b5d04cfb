import type { NormalizedChange, Source } from '../change/change.ts';
import type { RowDocument } from '../change/rowDocument.ts';
import type { RowAddress } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { ArrivalRecorder } from './arrivalRecorder.ts';
import { arrivalClockOf, arrivalText, arrivalToken, type Order } from './arrivalToken.ts';
import type { Delivery, Outcome, RawRecord } from './delivery.ts';
import type { Intake } from './pipeline.ts';
import { UnprocessableError } from './reasons.ts';
import { recordFirst } from './recorders.ts';
import type { RequestClock } from './requestClock.ts';
import { rowName } from './rowName.ts';
import type { RowsRead } from './rowWriter.ts';
import type { TableFloors } from './tableFloors.ts';

/**
 * Changes whose source does not tell their whole order: what it leaves open is decided by when they first arrived. An
 * arrival is a clock reading and the place in the request, and makes the end of the change's token. Clocks of instances
 * differ, so it is at least one more than the newest arrival that the row has shown: what is sent after an answer comes
 * after what was answered, whichever instance takes it.
 *
 * An arrival is fixed once, and what fixes it is the record in `changes` (for a record without a key the one in `parked`,
 * for a bad one the one in `deadletters`). The changes of one row are recorded one after another (those that are in one
 * transaction of the store at once, in their order); so are those that wait for one thing, and the bad ones of a stream. So
 * after a crash
 * - before a change is recorded: it has no arrival yet, nor has any later change of its row; sent again, they get theirs in
 *   the order in which they stand there, after those of the changes before them that turn out to be known.
 * - between a change's record and its row, or at any later point: sent again, the change is known, and merged with the
 *   token it was recorded with, as if nothing had happened.
 * Two requests that race with one change agree on one arrival, for only one of them creates the record.
 */
export type PendingChange = Omit<NormalizedChange, 'token'> & { readonly order: Order };

/** One record; with an `arrival` if it has come before. */
export interface ArrivalDelivery extends RawRecord {
  readonly decoded: PendingChange | UnprocessableError;
  /** Place in the request, from 0. */
  readonly index: number;
}

/** Takes in changes whose order depends on arrival. */
export class ArrivalPipeline {
  readonly #store: Store;
  readonly #pipeline: Pick<Intake, 'ingest'>;

  constructor(store: Store, pipeline: Pick<Intake, 'ingest'>) {
    this.#store = store;
    this.#pipeline = pipeline;
  }

  /**
   * Takes in records that come for the first time, or as if so, in the order of their arrival; outcomes stand in that
   * order. `clock`: their request's. `checkTime` is called between any two steps of the work and may throw:
   * what is recorded by then stays, and is got past quickly when the same comes again. Throws StoreUnavailableError.
   */
  async ingest(
    source: Source,
    stream: string,
    deliveries: readonly ArrivalDelivery[],
    clock: RequestClock,
    floors?: TableFloors,
    checkTime: () => void = () => undefined,
  ): Promise<Outcome[]> {
    const arrived = deliveries.map(({ index, ...delivery }) => arriving(delivery, arrivalText(clock.nowMs, index)));
    const addresses = rowsOf(deliveries);
    const read = await this.#read(addresses);
    const recorder = new ArrivalRecorder(this.#store.changes, clocksOf(addresses, read, floors), checkTime);
    const outcomes = await this.#pipeline.ingest(source, stream, arrived, { recorder, floors, read, checkTime, clock });
    clock.pass(recorder.newestClock);
    return outcomes;
  }

  /** Takes in records that have come before, each with the arrival that it had then. Throws StoreUnavailableError. */
  async replay(
    source: Source,
    stream: string,
    deliveries: readonly (Omit<ArrivalDelivery, 'index'> & { readonly arrival: string })[],
    floors?: TableFloors,
  ): Promise<Outcome[]> {
    const arrived = deliveries.map((delivery) => arriving(delivery, delivery.arrival));
    const recorder = recordFirst(this.#store.changes);
    return this.#pipeline.ingest(source, stream, arrived, { recorder, floors });
  }

  /** Of each of `changes`, whether it was recorded at its key before. Throws StoreUnavailableError. */
  async areRecorded(changes: readonly PendingChange[]): Promise<boolean[]> {
    if (changes.length === 0) return [];
    return (await this.#store.changes.recorded(changes)).map((recorded) => recorded !== undefined);
  }

  async #read(addresses: ReadonlyMap<string, RowAddress>): Promise<RowsRead> {
    const rows = await this.#store.rows.read([...addresses.values()]);
    return new Map([...addresses.keys()].map((name, index) => [name, rows[index]]));
  }
}

/** The rows that the deliveries touch, by name. */
function rowsOf(deliveries: readonly ArrivalDelivery[]): ReadonlyMap<string, RowAddress> {
  const addresses = new Map<string, RowAddress>();
  for (const { decoded } of deliveries) {
    if (decoded instanceof UnprocessableError || decoded.keys === null) continue;
    const { table, key, movedFrom } = decoded;
    addresses.set(rowName(table, key), { table, id: key });
    if (movedFrom !== undefined) addresses.set(rowName(table, movedFrom.key), { table, id: movedFrom.key });
  }
  return addresses;
}

/** Per row, the earliest clock reading that is after everything that it shows, its table's truncation included. */
function clocksOf(
  addresses: ReadonlyMap<string, RowAddress>,
  rows: RowsRead,
  floors?: TableFloors,
): Map<string, number> {
  const clocks = new Map<string, number>();
  for (const [name, { table }] of addresses) {
    const row = rows.get(name)?.document;
    const floor = floors?.get(table);
    const newest = Math.max(row === undefined ? 0 : newestClock(row), floor === undefined ? 0 : arrivalClockOf(floor));
    if (newest > 0) clocks.set(name, newest + 1);
  }
  return clocks;
}

function arriving({ decoded, ...raw }: Omit<ArrivalDelivery, 'index'>, arrival: string): Delivery {
  if (decoded instanceof UnprocessableError) return { ...raw, arrival, decoded };
  const { order, ...change } = decoded;
  return { ...raw, arrival, decoded: { ...change, token: arrivalToken(order, arrival) } };
}

function newestClock({ token, base, columnTokens }: RowDocument): number {
  return [token, base, ...Object.values(columnTokens)].reduce(
    (newest, each) => Math.max(newest, arrivalClockOf(each)),
    0,
  );
}
