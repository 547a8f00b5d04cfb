import type { NormalizedChange, Source } from './change.ts';
import type { Columns, JsonValue } from './json.ts';
import type { RowEffect } from './merge.ts';

/** Sources whose partial images tell of a row's columns but not of its being there: a deleted blob's events still come. */
const AMENDING_SOURCES: ReadonlySet<Source> = new Set(['blob']);

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
  const isAmending = AMENDING_SOURCES.has(change.source);
  if (change.op === 'delete') {
    return { table, id, keys, committedAt, effect: { kind: isAmending ? 'removal' : 'delete', token } };
  }
  if (change.image === 'none') return undefined;
  const kind = change.image === 'partial' && isAmending ? 'amendment' : change.image;
  return { table, id, keys, committedAt, effect: { kind, token, columns: imageColumns(change) } };
}

function imageColumns(change: NormalizedChange): readonly (readonly [string, JsonValue])[] {
  if (change.image === 'full') return Object.entries({ ...change.after, ...change.keys });
  return Object.entries({ ...change.before, ...change.after, ...change.keys });
}
