import { canonicalJson, type JsonValue } from './json.ts';
import { LOWEST_TOKEN } from './tokens.ts';

/**
 * The row merge. A row is a last-writer-wins map per column, so that images in any order, any number of times, end in
 * one state: the merge is commutative, associative and idempotent.
 *
 * `base` is the token of the newest full image or delete: nothing older than it has a say about anything. Above it,
 * each column keeps the value of the newest image that carried it.
 * - A full image says what the whole row was: columns that only older images carried are gone.
 * - A partial image says what some columns were. The others stay: absent is unknown, not null.
 * - A delete says that whatever is older is gone. Columns that a newer image carried stay, and with them the row.
 * In the tables of a source whose partial images say nothing about whether the row is there, two other effects take the
 * place of the last two:
 * - An amendment is a partial image that never brings a deleted row back; what it says waits in the row's cells for a full
 *   image that does.
 * - A removal is a delete after which the row is gone whatever newer amendments said.
 * A row sees either pair, never both.
 * Tokens of different kinds never tie (see `tokens.ts`). Within a kind the larger canonical JSON wins, so that two
 * sources of one position cannot make the result depend on arrival.
 *
 * Images must carry the key columns: a partial image without columns would leave no trace for a late delete to find.
 */
export interface RowState {
  base: string;
  deleted: boolean;
  readonly cells: Map<string, Cell>;
}

export interface Cell {
  readonly value: JsonValue;
  readonly token: string;
}

/** What one change does to one row. */
export type RowEffect =
  | {
      readonly kind: 'full' | 'partial' | 'amendment';
      readonly token: string;
      readonly columns: Iterable<readonly [string, JsonValue]>;
    }
  | { readonly kind: 'delete' | 'removal'; readonly token: string };

/** The row that nothing was ever said about. */
export function unseenRow(): RowState {
  return { base: LOWEST_TOKEN, deleted: false, cells: new Map() };
}

/** Merges `effect` into `row` in place. Returns whether anything changed; false means that the effect was stale or known. */
export function mergeInto(row: RowState, effect: RowEffect): boolean {
  switch (effect.kind) {
    case 'full':
      return mergeFull(row, effect.token, effect.columns);
    case 'partial':
      return mergePartial(row, effect.token, effect.columns);
    case 'amendment':
      return mergeAmendment(row, effect.token, effect.columns);
    case 'delete':
      return mergeDelete(row, effect.token);
    case 'removal':
      return mergeRemoval(row, effect.token);
  }
}

/** The newest token that left a trace in `row`; `LOWEST_TOKEN` for a row never seen. */
export function newestToken(row: RowState): string {
  let newest = row.base;
  for (const { token } of row.cells.values()) if (token > newest) newest = token;
  return newest;
}

function mergeFull(row: RowState, token: string, columns: Iterable<readonly [string, JsonValue]>): boolean {
  if (token < row.base) return false;
  let changed = token > row.base;
  if (changed) raiseBase(row, token);
  changed = revive(row) || changed;
  return setColumns(row, token, columns) || changed;
}

function mergePartial(row: RowState, token: string, columns: Iterable<readonly [string, JsonValue]>): boolean {
  if (token <= row.base) return false;
  const changed = setColumns(row, token, columns);
  return revive(row) || changed;
}

function mergeAmendment(row: RowState, token: string, columns: Iterable<readonly [string, JsonValue]>): boolean {
  return token > row.base && setColumns(row, token, columns);
}

function mergeDelete(row: RowState, token: string): boolean {
  if (token <= row.base) return false;
  raiseBase(row, token);
  row.deleted = row.cells.size === 0;
  return true;
}

function mergeRemoval(row: RowState, token: string): boolean {
  if (token <= row.base) return false;
  raiseBase(row, token);
  row.deleted = true;
  return true;
}

function raiseBase(row: RowState, token: string): void {
  row.base = token;
  for (const [column, cell] of row.cells) if (cell.token < token) row.cells.delete(column);
}

function revive(row: RowState): boolean {
  const wasDeleted = row.deleted;
  row.deleted = false;
  return wasDeleted;
}

function setColumns(row: RowState, token: string, columns: Iterable<readonly [string, JsonValue]>): boolean {
  let changed = false;
  for (const [column, value] of columns) {
    const cell = row.cells.get(column);
    if (cell !== undefined && !isNewer(token, value, cell)) continue;
    row.cells.set(column, { value, token });
    changed = true;
  }
  return changed;
}

function isNewer(token: string, value: JsonValue, cell: Cell): boolean {
  if (token !== cell.token) return token > cell.token;
  return value !== cell.value && canonicalJson(value) > canonicalJson(cell.value);
}
