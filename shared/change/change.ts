import type { Columns, JsonValue } from './json.ts';

export type Source = 'ces' | 'blob' | 'goldengate' | 'qlik';

export type Op = 'insert' | 'update' | 'delete' | 'upsert' | 'snapshot' | 'truncate' | 'ddl' | 'marker';

/**
 * What a change says about the columns that it does not carry. `full`: they are certainly gone. `partial`: nothing.
 * `none`: the change carries no image to merge (deletes, and whatever is about a table rather than a row).
 */
export type Image = 'full' | 'partial' | 'none';

export interface Transaction {
  readonly id: string;
  /** Position of the change inside its transaction, where the source tells. */
  readonly sequence: number | null;
  /** Whether it is the transaction's last change, where the source tells. */
  readonly last: boolean | null;
}

export interface RowKey {
  readonly key: string;
  readonly keys: Columns;
}

/** One row change, the same for every source. Field by field what a `changes` document holds. */
export interface NormalizedChange {
  readonly source: Source;
  readonly stream: string;
  /** `<source>/<stream>/<qualified source name>`. */
  readonly table: string;
  /** Plain text that is equal for every delivery of this change and for no other; its hash is the document's id. */
  readonly identity: string;
  readonly op: Op;
  readonly image: Image;
  /** The key columns with typed values, in key order; null for a change that has no row. */
  readonly keys: Columns | null;
  /** The row's id (`rowId`), or `unkeyedKey(identity)` for a change that has no row. */
  readonly key: string;
  /** The key that the row had before this change, only where the change moves the row to another key. */
  readonly movedFrom?: RowKey;
  /** The key that the row has after it, only on the half of such a change that is recorded under the old key. */
  readonly movedTo?: RowKey;
  /**
   * The columns of the row that stood at the new key when this change moved another row there, and that a later change of
   * the transaction may yet move away.
   */
  readonly displaced?: Columns;
  readonly before: Columns | null;
  readonly after: Columns | null;
  /** Orders the changes of one row by plain string comparison; ends in a rank, see `tokens.ts`. */
  readonly token: string;
  /** Commit time, ISO 8601 in UTC, where the source tells. */
  readonly committedAt: string | null;
  readonly transaction: Transaction | null;
  /**
   * Why the change was recorded but is not merged into a row. `no-key`: its table has none. `spared`: the old half of a
   * key change whose row had meanwhile become another row's new place.
   */
  readonly flag?: 'no-key' | 'spared';
  /** What the source said about itself, under its own names, verbatim. */
  readonly origin: { readonly [name: string]: JsonValue };
}
