import { canonicalJson } from '../change/json.ts';
import type { MetadataColumn } from './record.ts';

/** What metadata said of a table. */
interface KnownColumns {
  readonly columns: readonly MetadataColumn[];
}

/** Whether both are the same columns. Columns are members of an object, whose order says nothing. */
export function isSameColumns(a: readonly MetadataColumn[], b: readonly MetadataColumn[]): boolean {
  return a.length === b.length && sorted(a) === sorted(b);
}

/**
 * `columns` with those of the key in the order in which they were known, the latest of `known` that has the same ones: the
 * ids of rows name them in that order, and nothing that a relay does to metadata may change an id.
 */
export function inKnownKeyOrder(
  columns: readonly MetadataColumn[],
  known: readonly KnownColumns[],
): readonly MetadataColumn[] {
  const key = new Map(columns.filter((column) => column.key).map((column) => [column.name, column]));
  if (key.size < 2) return columns;
  for (const older of known.toReversed()) {
    const names = older.columns.flatMap((column) => (column.key ? [column.name] : []));
    if (names.length !== key.size || !names.every((name) => key.has(name))) continue;
    const ordered = names.values();
    return columns.map((column) => (column.key ? (key.get(ordered.next().value ?? '') ?? column) : column));
  }
  return columns;
}

function sorted(columns: readonly MetadataColumn[]): string {
  return canonicalJson(Object.fromEntries(columns.map(({ name, ...said }) => [name, said])));
}
