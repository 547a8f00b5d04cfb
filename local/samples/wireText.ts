import type { Columns, JsonValue } from '../../shared/change/json.ts';
import type { SampleTable } from './sampleEvent.ts';

/** A row as CES writes it: all values as texts in the forms of SQL Server. */
export function wireRow(row: Columns, { columns }: SampleTable): { [column: string]: string | null } {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, wireText(value, types.get(name) ?? '')]));
}

/** An exact value as CES writes it in a column of `type`. */
export function wireText(value: JsonValue, type: string): string | null {
  if (value === null) return null;
  const text = String(value);
  if (type === 'bit') return value === true ? '1' : '0';
  if (type === 'uniqueidentifier') return text.toUpperCase();
  if (type.startsWith('datetimeoffset')) return text.replace('T', ' ').replace(/(?=[+-]\d\d:\d\d$)/, ' ');
  if (type.startsWith('datetime') || type === 'smalldatetime') return text.replace('T', ' ');
  return text;
}
