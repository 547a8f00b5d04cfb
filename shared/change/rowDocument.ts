import type { Source } from './change.ts';
import type { RowChange } from './effect.ts';
import type { Columns, JsonValue } from './json.ts';
import type { HoldsPointers } from './largeValue.ts';
import { type Cell, mergeInto, newestToken, type RowState, unseenRow } from './merge.ts';

/** A document of the container `rows`: the converged current state of one source row, as people query it. */
export interface RowDocument extends HoldsPointers {
  readonly id: string;
  readonly table: string;
  readonly keys: Columns;
  readonly row: Columns;
  readonly deleted: boolean;
  /** The token that most columns share; of a row without columns, `base`. */
  readonly token: string;
  /** Token of the newest full image or delete. */
  readonly base: string;
  /** The tokens of the columns that do not share `token`. */
  readonly columnTokens: { readonly [column: string]: string };
  /** What amendments newer than its delete said about a row that is gone; only on tombstones that have such. */
  readonly amended?: { readonly [column: string]: Cell };
  readonly source: Source;
  readonly stream: string;
  /** Commit time of the newest change, where the source tells. */
  readonly committedAt: string | null;
  /** When this document was written. */
  readonly updatedAt: string;
  /** Seconds until a tombstone goes; only on tombstones. */
  readonly ttl?: number;
}

/** A row in memory: the merge state, and what its newest change said about the row as a whole. */
export interface MergedRow {
  readonly state: RowState;
  keys: Columns;
  committedAt: string | null;
}

export function unseen(keys: Columns): MergedRow {
  return { state: unseenRow(), keys, committedAt: null };
}

/** Merges one change into `row`. Returns whether the document has to be written. */
export function applyTo(row: MergedRow, change: RowChange): boolean {
  const isNewest = change.effect.token >= newestToken(row.state);
  const changed = mergeInto(row.state, change.effect);
  if (!changed || !isNewest) return changed;
  row.keys = change.keys;
  row.committedAt = change.committedAt;
  return true;
}

/** The merge state that `document` holds. */
export function fromDocument(document: RowDocument): MergedRow {
  const cells = new Map<string, Cell>(Object.entries(document.amended ?? {}));
  const tokens = new Map(Object.entries(document.columnTokens));
  for (const [column, value] of Object.entries(document.row)) {
    cells.set(column, { value, token: tokens.get(column) ?? document.token });
  }
  const state: RowState = { base: document.base, deleted: document.deleted, cells };
  return { state, keys: document.keys, committedAt: document.committedAt };
}

export interface RowHeader {
  readonly id: string;
  readonly table: string;
  readonly source: Source;
  readonly stream: string;
}

/** The document of `row`. Equal states have equal documents, whatever changes made them, but for `updatedAt`. */
export function documentOf(header: RowHeader, row: MergedRow, updatedAt: string, tombstoneTtl: number): RowDocument {
  const { base, deleted } = row.state;
  // Sorted, so that the columns stand in one order whatever order the images came in.
  const cells = [...row.state.cells].sort(([a], [b]) => (a < b ? -1 : 1));
  const columns = deleted ? [] : cells;
  const token = mostSharedToken(columns) ?? base;
  const columnTokens = columns.filter(([, cell]) => cell.token !== token).map(([column, cell]) => [column, cell.token]);
  return {
    id: header.id,
    table: header.table,
    keys: row.keys,
    row: Object.fromEntries(columns.map(([column, cell]): [string, JsonValue] => [column, cell.value])),
    deleted,
    token,
    base,
    columnTokens: Object.fromEntries(columnTokens),
    ...(deleted && cells.length > 0 ? { amended: Object.fromEntries(cells) } : {}),
    source: header.source,
    stream: header.stream,
    committedAt: row.committedAt,
    updatedAt,
    ...(deleted ? { ttl: tombstoneTtl } : {}),
  };
}

/** Of two tokens that equally many columns share, the newer. */
function mostSharedToken(cells: readonly (readonly [string, Cell])[]): string | undefined {
  const counts = new Map<string, number>();
  for (const [, { token }] of cells) counts.set(token, (counts.get(token) ?? 0) + 1);
  let winner: string | undefined;
  let most = 0;
  for (const [token, count] of counts) {
    if (count < most || (count === most && winner !== undefined && token < winner)) continue;
    winner = token;
    most = count;
  }
  return winner;
}
