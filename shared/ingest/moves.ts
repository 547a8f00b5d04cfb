import type { NormalizedChange, Source } from '../change/change.ts';
import { rowChangeOf } from '../change/effect.ts';
import type { StoredRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { type ChangeOutcome, outcomeOf, refused } from './changeOutcome.ts';
import { arrivalOf, contradicts, departureOf, type Leaving, olderColumns } from './moveHalves.ts';
import type { RecordedChange, Recorder } from './recorders.ts';
import type { RowWriter } from './rowWriter.ts';
import type { TableFloors } from './tableFloors.ts';

/** Both halves of a change that moved a row, as they were recorded. */
export interface KnownMove {
  readonly arrival: NormalizedChange;
  readonly departure: NormalizedChange;
}

/**
 * Key changes. A change that moves a row from one key to another is an image of the new key and a delete of the old
 * one. The image may be partial, and the columns that it lacks exist only in the old row, which the delete empties; so
 * the order of the writes is what keeps a crash from losing them:
 * 1. The image, completed from the stored old row, is recorded under the new key. If it was recorded before, that first
 *    record counts: by now the old row may be a tombstone.
 * 2. The delete is recorded under the old key, with the token of the image's record, and whether it spares the row (below).
 *    Here too the first record counts.
 * 3. The new row is written, then the tombstone.
 * From every point between two writes, a repeat ends in the same documents.
 *
 * In `SET id = id + 1`, or where two rows change places, rows move over each other inside one transaction. A row is then at
 * one of these places, and each move of it finds it there:
 * - At its key: the usual case. Whatever moves it away takes its columns from there.
 * - Displaced: another row was moved to its key before it was moved away itself. The record of the other one's image keeps
 *   what the displaced row held (`displaced`), for the row at the key now is the other one. That one's image is full: of
 *   the displaced row nothing stays at the key, whatever columns the other one is known to have.
 * - Moved away from a key where it was displaced: its columns come from that record, never from the row at the key, and that
 *   row is spared: the delete is recorded and not merged. Its new place may displace the next row, and so on.
 * Displaced is a row if the row at the old key contradicts what the change says its row held before, in a column besides
 * the key, and a change of the same transaction moved a row there. All that is decided is in `changes` before any row is
 * written, and what was recorded first counts; so a repeat need not find the rows as they were.
 *
 * Changes without a transaction id are of one transaction if they were committed at one time: GoldenGate gives all
 * operations of a transaction its commit time. That others may share that time does no harm as long as every change between
 * two moves of a row gets in: then it holds what the later one says.
 *
 * What cannot be told: that a change between two moves of one row in one transaction is missing, because it was bad or is
 * late; the row then looks like another one and is spared, and its columns that no image carries stay unknown at the new
 * key. And two rows that differ in nothing but their keys, as far as the change's image of before says. With images of the
 * key alone that is all rows, and with images of the key and the changed columns, those that have these in common. Then the
 * later move empties the place that the earlier one filled, as if one row had been moved twice. So it does where a source
 * gives neither an id of the transaction nor a commit time.
 */
export class Moves {
  readonly #store: Store;
  readonly #rowWriter: RowWriter;

  constructor(store: Store, rowWriter: RowWriter) {
    this.#store = store;
    this.#rowWriter = rowWriter;
  }

  /**
   * Applies changes that move rows and touch no common key. `recorder` lets the first record of a change count. Throws
   * StoreUnavailableError.
   */
  async apply(
    source: Source,
    stream: string,
    sent: readonly NormalizedChange[],
    recorder: Recorder,
    floors?: TableFloors,
  ): Promise<ChangeOutcome[]> {
    const changes = sent.map((change) => recorder.settle(change));
    const rows = await this.#store.rows.read([
      ...changes.map(({ table, key, movedFrom }) => ({ table, id: movedFrom?.key ?? key })),
      ...changes.map(({ table, key }) => ({ table, id: key })),
    ]);
    const moves = await Promise.all(
      changes.map(async (change, index) => ({
        change,
        leaving: await this.#leaving(change, rows[index]),
        standing: rows[changes.length + index],
      })),
    );
    const arrivals = await recorder.record(
      moves.map(({ change, leaving, standing }) => arrivalOf(change, leaving, standing)),
    );
    const departures = await recorder.record(
      moves.map(({ change, leaving }, index) => {
        return departureOf({ ...change, token: arrivals[index]?.change.token ?? change.token }, leaving);
      }),
    );
    return this.#mergeBoth(source, stream, [arrivals, departures], floors);
  }

  /** Of each of `changes` that move rows, its halves if both were recorded before. Throws StoreUnavailableError. */
  async recall(changes: readonly NormalizedChange[]): Promise<(KnownMove | undefined)[]> {
    const halves = changes.flatMap(({ table, key, movedFrom, identity }) => [
      { table, key, identity },
      { table, key: movedFrom?.key ?? key, identity },
    ]);
    const recorded = await this.#store.changes.recorded(halves);
    return changes.map(({ identity }, index) => {
      const [arrival, departure] = recorded.slice(2 * index);
      if (arrival === undefined || departure === undefined) return undefined;
      return { arrival: { ...arrival, identity }, departure: { ...departure, identity } };
    });
  }

  /**
   * Makes good what a crash may have left undone of moves that were recorded. They may touch common keys: what their halves
   * are no longer depends on any row, and rows end the same in whichever order halves are merged into them. Throws
   * StoreUnavailableError.
   */
  async complete(
    source: Source,
    stream: string,
    moves: readonly KnownMove[],
    recorder: Recorder,
    floors?: TableFloors,
  ): Promise<ChangeOutcome[]> {
    const arrivals = await recorder.record(moves.map(({ arrival }) => arrival));
    const departures = await recorder.record(moves.map(({ departure }) => departure));
    return this.#mergeBoth(source, stream, [arrivals, departures], floors);
  }

  /** The image of the new key goes first, so that the row is never nowhere. */
  async #mergeBoth(
    source: Source,
    stream: string,
    halves: readonly (readonly RecordedChange[])[],
    floors: TableFloors | undefined,
  ): Promise<ChangeOutcome[]> {
    const outcomes = new Array<ChangeOutcome>(halves[0]?.length ?? 0).fill('stale');
    for (const half of halves) await this.#merge(source, stream, half, outcomes, floors);
    return outcomes;
  }

  async #merge(
    source: Source,
    stream: string,
    half: readonly RecordedChange[],
    outcomes: ChangeOutcome[],
    floors: TableFloors | undefined,
  ): Promise<void> {
    const mergeable = half.flatMap(({ change, result }, index) => {
      const row = change.flag === undefined && typeof outcomes[index] === 'string' ? rowChangeOf(change) : undefined;
      return row === undefined || typeof result === 'object' ? [] : [{ index, row }];
    });
    const merged = await this.#rowWriter.apply(
      source,
      stream,
      mergeable.map(({ row }) => row),
      { floors },
    );
    half.forEach(({ result }, index) => {
      if (typeof result === 'object') outcomes[index] = refused('change', result.rejected);
      else if (result === 'known' && outcomes[index] === 'stale') outcomes[index] = 'duplicate';
    });
    mergeable.forEach(({ index }, position) => {
      const result = merged[position] ?? 'unchanged';
      if (typeof result === 'object') outcomes[index] = refused('row', result.rejected);
      else if (result === 'applied') outcomes[index] = outcomeOf('applied', 'created');
    });
  }

  /**
   * What is known of the row that `change` moves away. `stored`: the row that stands at its old key. Throws
   * StoreUnavailableError.
   */
  async #leaving(change: NormalizedChange, stored: StoredRow | undefined): Promise<Leaving> {
    const { before, movedFrom, key, token } = change;
    if (stored !== undefined && contradicts(stored.document.row, before, movedFrom?.keys ?? null)) {
      const moves = await this.#store.changes.movesInto(movedFrom?.key ?? key, change);
      if (moves.length > 0) {
        const own = moves.findLast(
          ({ displaced }) => displaced && !contradicts(displaced, before, movedFrom?.keys ?? null),
        );
        return { columns: own?.displaced ?? {}, isAfterAnother: true };
      }
    }
    return { columns: olderColumns(stored, token), isAfterAnother: false };
  }
}
