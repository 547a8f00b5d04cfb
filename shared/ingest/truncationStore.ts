import type { Source } from '../change/change.ts';
import type { Columns } from '../change/json.ts';
import type { CatalogDocument } from './catalogStore.ts';

/** The `catalog` document of a table that was truncated. */
export interface TruncationDocument extends CatalogDocument {
  readonly kind: 'truncation';
  readonly source: Source;
  readonly table: string;
  /** Token of the newest truncation: nothing older counts in any row of the table. */
  readonly truncatedAt: string;
  /** Whether every row has been looked at since. */
  readonly emptied: boolean;
  /** Id of the last row that has been; empty at the start. */
  readonly emptiedTo: string;
  readonly updatedAt: string;
}

/** A row that may have to be emptied. */
export interface LiveRow {
  readonly id: string;
  readonly keys: Columns;
}

/** What truncations need of the store besides the catalog. Every method throws StoreUnavailableError. */
export interface TruncationStorage {
  /** Rows of `table` that are not deleted, by id, after `afterId`, at most `limit`. */
  liveRows(table: string, afterId: string, limit: number): Promise<LiveRow[]>;
  /** Truncations whose tables are not emptied yet. */
  unfinishedTruncations(): Promise<TruncationDocument[]>;
  /** The greatest token of the changes of `table`, of those that begin with `beginning`; undefined where there are none. */
  newestToken(table: string, beginning: string): Promise<string | undefined>;
  /** The token that a change was recorded with; undefined where it is not recorded. */
  recordedToken(change: {
    readonly table: string;
    readonly key: string;
    readonly identity: string;
  }): Promise<string | undefined>;
}
