import type { NormalizedChange } from '../change/change.ts';

/** A row's name among the rows of all tables. */
export function rowName(table: string, key: string): string {
  return `${table}\n${key}`;
}

/** Names the rows that a change touches. */
export function rowNamesOf({ table, key, movedFrom }: Pick<NormalizedChange, 'table' | 'key' | 'movedFrom'>): string[] {
  return movedFrom === undefined ? [rowName(table, key)] : [rowName(table, key), rowName(table, movedFrom.key)];
}
