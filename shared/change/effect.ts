import type { NormalizedChange } from './change.ts';
import type { Columns, JsonValue } from './json.ts';
import type { RowEffect } from './merge.ts';

/** What happens to one row because of a change: a change that moves a row has two, every other one or none. */
export interface RowChange {
  readonly table: string;
  readonly id: string;
  readonly keys: Columns;
  readonly committedAt: string | null;
  readonly effect: RowEffect;
}

/**
 * The effect of `change` on the row of its own key; undefined for a change that has no row (`ddl`, `marker`, a table
 * without a key). `before` overlaid by `after` is the richest image that a partial change can vouch for.
 */
export function rowChangeOf(change: NormalizedChange): RowChange | undefined {
  if (change.keys === null) return undefined;
  const { table, key: id, keys, committedAt, token } = change;
  if (change.op === 'delete') return { table, id, keys, committedAt, effect: { kind: 'delete', token } };
  if (change.image === 'none') return undefined;
  return { table, id, keys, committedAt, effect: { kind: change.image, token, columns: imageColumns(change) } };
}

function imageColumns(change: NormalizedChange): readonly (readonly [string, JsonValue])[] {
  if (change.image === 'full') return Object.entries({ ...change.after, ...change.keys });
  return Object.entries({ ...change.before, ...change.after, ...change.keys });
}
