import type { Source } from '../change/change.ts';
import type { RowChange } from '../change/effect.ts';
import { rowId } from '../change/keys.ts';
import { arrivalClockOf, beginningOf } from './arrivalToken.ts';
import type { CatalogStorage } from './catalogStore.ts';
import { updateCatalog } from './catalogUpdate.ts';
import { eachInTurn } from './eachInTurn.ts';
import type { RowWriter } from './rowWriter.ts';
import type { TableFloors } from './tableFloors.ts';
import type { TruncationDocument, TruncationStorage } from './truncationStore.ts';

/** The change that says that a table was truncated, as it is recorded. */
export interface TruncateChange {
  readonly source: Source;
  readonly stream: string;
  readonly table: string;
  readonly key: string;
  readonly identity: string;
}

/**
 * Truncated tables. A truncation is a delete of every row at one token, for rows that nobody has listed:
 * 1. Its change is recorded, as every change.
 * 2. The table's floor in the catalog rises to its token, and the table is marked as not emptied. From then on every merge
 *    of its rows starts there: what is older changes nothing.
 * 3. The rows that are there are emptied in slices, in order of their ids, and the catalog keeps how far that has come.
 * A death after 1: the sender was not answered and sends the truncation again. After 2 or in 3: the sweep goes on where
 * the catalog says, and a slice that is done twice is done. Emptying merges a delete into each row, so a row that has
 * moved on keeps what is newer, and changes that are merged at the same time do no harm.
 *
 * A merge on another instance that read the floor before it rose may write what it should not have. So whoever merges
 * looks at the floors again after it, and merges once more with those that have risen.
 */
export class Truncations {
  readonly #catalog: CatalogStorage;
  readonly #storage: TruncationStorage;
  readonly #rowWriter: RowWriter;

  constructor(catalog: CatalogStorage, storage: TruncationStorage, rowWriter: RowWriter) {
    this.#catalog = catalog;
    this.#storage = storage;
    this.#rowWriter = rowWriter;
  }

  /** The floors of `tables`, as they stand in the store now. Throws StoreUnavailableError. */
  async floors(stream: string, tables: Iterable<string>): Promise<TableFloors> {
    const floors = await Promise.all(
      [...new Set(tables)].map(async (table): Promise<[string, string] | undefined> => {
        const stored = await this.#catalog.read<TruncationDocument>(stream, documentId(table));
        return stored === undefined ? undefined : [table, stored.document.truncatedAt];
      }),
    );
    return new Map(floors.filter((entry) => entry !== undefined));
  }

  /** Merges once more what was merged with `before`, where floors have risen since. Throws StoreUnavailableError. */
  async enforce(source: Source, stream: string, before: TableFloors, rows: readonly FloorRow[]): Promise<void> {
    const now = await this.floors(
      stream,
      rows.map(({ table }) => table),
    );
    const sunken = rows.flatMap((row): RowChange[] => {
      const token = now.get(row.table);
      return token === undefined || token === before.get(row.table) ? [] : [deleteOf(row, token)];
    });
    if (sunken.length > 0) await this.#rowWriter.apply(source, stream, sunken);
  }

  /**
   * Raises the table's floor to a truncation that is recorded, and empties it as far as `isTimeUp` lets it; the sweep does
   * the rest. Throws StoreUnavailableError.
   */
  async apply(change: TruncateChange, isTimeUp: () => boolean): Promise<void> {
    const token = await this.#storage.recordedToken(change);
    if (token === undefined) return;
    const { source, stream, table } = change;
    const id = documentId(table);
    const document = await updateCatalog<TruncationDocument>(this.#catalog, stream, id, (stored) => {
      if (stored !== undefined && stored.truncatedAt >= token) return undefined;
      const updatedAt = new Date().toISOString();
      return {
        id,
        stream,
        kind: 'truncation',
        source,
        table,
        truncatedAt: token,
        emptied: false,
        emptiedTo: '',
        updatedAt,
      };
    });
    if (document !== undefined && !document.emptied) await this.#empty(document, isTimeUp);
  }

  /**
   * The newest clock reading that a change of `table` arrived with, of those whose order begins with `prefix`; 0 where there is
   * none. A truncation that arrives has to pass it: the clock of another instance may be ahead. Throws
   * StoreUnavailableError.
   */
  async newestClock(table: string, prefix: string): Promise<number> {
    const token = await this.#storage.newestToken(table, beginningOf(prefix));
    return token === undefined ? 0 : arrivalClockOf(token);
  }

  /**
   * Goes on emptying tables whose emptying was cut short. Returns how many it finished. What fails for one table keeps no
   * other from its turn. Throws at the end what failed.
   */
  async resume(isTimeUp: () => boolean): Promise<number> {
    let finished = 0;
    const unfinished = await this.#storage.unfinishedTruncations();
    await eachInTurn(
      unfinished,
      async (document) => {
        if (await this.#empty(document, isTimeUp)) finished++;
      },
      isTimeUp,
    );
    return finished;
  }

  async #empty({ source, stream, table, truncatedAt, emptiedTo }: TruncationDocument, isTimeUp: () => boolean) {
    let after = emptiedTo;
    while (!isTimeUp()) {
      const rows = await this.#storage.liveRows(table, after, ROWS_PER_SLICE);
      const deletes = rows.map((row) => deleteOf({ table, ...row }, truncatedAt));
      await this.#rowWriter.apply(source, stream, deletes);
      after = rows.at(-1)?.id ?? after;
      const isDone = rows.length < ROWS_PER_SLICE;
      const isCurrent = await this.#note(stream, table, truncatedAt, after, isDone);
      if (isDone || !isCurrent) return isCurrent;
    }
    return false;
  }

  /** Keeps how far emptying has come; false when a newer truncation has begun, which then starts anew. */
  async #note(
    stream: string,
    table: string,
    truncatedAt: string,
    emptiedTo: string,
    emptied: boolean,
  ): Promise<boolean> {
    const now = await updateCatalog<TruncationDocument>(this.#catalog, stream, documentId(table), (stored) => {
      if (stored === undefined || stored.truncatedAt !== truncatedAt || stored.emptied) return undefined;
      // Two may be at it; whoever is further has done what the other has yet to do.
      const furthest = stored.emptiedTo > emptiedTo ? stored.emptiedTo : emptiedTo;
      return { ...stored, emptied, emptiedTo: furthest, updatedAt: new Date().toISOString() };
    });
    return now?.truncatedAt === truncatedAt;
  }
}

/** A row that was merged. */
export interface FloorRow {
  readonly table: string;
  readonly id: string;
  readonly keys: RowChange['keys'];
}

const ROWS_PER_SLICE = 200;

function documentId(table: string): string {
  return `truncation:${rowId([table])}`;
}

function deleteOf({ table, id, keys }: FloorRow, token: string): RowChange {
  return { table, id, keys, committedAt: null, effect: { kind: 'delete', token } };
}
