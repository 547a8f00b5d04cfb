import type { NormalizedChange } from '../../shared/change/change.ts';
import { canonicalJson, type JsonValue } from '../../shared/change/json.ts';
import { tokenOf } from '../../shared/change/tokens.ts';
import { rowKeyOf, type TableColumns, typedValue } from './columnTypes.ts';
import type { ExtractRow } from './extract.ts';

/** Sorts before the position of every change of every source: those begin with a digit or `~`. */
export const LOWEST_POSITION = '!';

export interface SnapshotFacts {
  readonly table: string;
  readonly columns: TableColumns;
  readonly key: readonly string[];
  /** Where the snapshot stands among the changes of its stream. */
  readonly position: string;
  /** When the extract was taken, ISO 8601. */
  readonly takenAt: string;
}

/** A row of an extract as a full image of its row at the snapshot's position. Throws UsageError where it lacks its key. */
export function snapshotOf(
  { table, columns, key, position, takenAt }: SnapshotFacts,
  row: ExtractRow,
): NormalizedChange {
  const typed = new Map(
    [...row].map(([column, value]): [string, JsonValue] => [column, typedValue(columns, column, value) ?? value]),
  );
  const rowKey = rowKeyOf(columns, key, typed);
  const after = Object.fromEntries(typed);
  return {
    source: columns.source,
    stream: columns.stream,
    table,
    // With the content: a later extract with another is another change.
    identity: `load/${table}/${position}/${rowKey.key}/${canonicalJson(after)}`,
    op: 'snapshot',
    image: 'full',
    ...rowKey,
    before: null,
    after,
    token: tokenOf(position, 'full'),
    committedAt: null,
    transaction: null,
    origin: { loadedFrom: 'extract', takenAt },
  };
}
