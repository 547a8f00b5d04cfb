import type { JsonValue } from '../change/json.ts';
import { type DividedRecord, isPrefixed, nonEmpty } from './dividedRecord.ts';
import type { FieldNames } from './fieldNames.ts';
import { headerOf } from './header.ts';
import { type JsonObject, setMember } from './members.ts';
import { isHelper } from './missing.ts';
import type { KeyColumn } from './rowKey.ts';

/** A table that has columns called like a field, or like a column of a flattened image. */
export interface AmbiguousTable {
  readonly key: readonly KeyColumn[];
  /** All its columns. */
  readonly columns: ReadonlySet<string>;
}

/** Undefined for most tables: the names of the members tell all about their records. */
export function ambiguousTable(
  columns: readonly string[],
  key: readonly KeyColumn[],
  fields: FieldNames,
  delimiter: string,
): AmbiguousTable | undefined {
  const isAmbiguous = (name: string) => fields.all.has(name) || isOfImage(name, fields, delimiter);
  return columns.some(isAmbiguous) ? { key, columns: new Set(columns) } : undefined;
}

/**
 * The members of a record of such a table, where it is row-modelled: what the table's metadata names is a column, and no
 * field or image. But what the record could not be understood without stays a field: it cannot carry both.
 */
export function divideByColumns(
  record: JsonObject,
  divided: DividedRecord,
  table: AmbiguousTable,
  fields: FieldNames,
  delimiter: string,
): DividedRecord {
  if (divided.layout !== 'row' && !isRow(record, table, fields, delimiter)) return divided;
  const tableField = divided.dataStreamTable ? fields.table[0] : fields.table[1];
  const needed = [fields.opType, fields.opTime, fields.position, tableField];
  const columns: { [name: string]: JsonValue } = {};
  const origin: { [name: string]: JsonValue } = {};
  for (const name in record) {
    const isField = fields.all.has(name) && (needed.includes(name) || !table.columns.has(name));
    setMember(isField ? origin : columns, name, record[name] ?? null);
  }
  const hasHelpers = Object.keys(columns).some(isHelper);
  return { layout: 'row', before: null, after: nonEmpty(columns), hasHelpers, origin, ...headerOf(origin, fields) };
}

/**
 * Whether all that could be images are columns, and the row's key and more than what could be fields stand beside them.
 */
function isRow(record: JsonObject, { key, columns }: AmbiguousTable, fields: FieldNames, delimiter: string): boolean {
  let hasColumn = false;
  for (const name in record) {
    if (isOfImage(name, fields, delimiter)) {
      if (!columns.has(name)) return false;
    } else if (!fields.all.has(name) && columns.has(name)) hasColumn = true;
  }
  return hasColumn && key.every(({ name }) => Object.hasOwn(record, name));
}

function isOfImage(name: string, { before, after }: FieldNames, delimiter: string): boolean {
  return name === before || name === after || isPrefixed(name, before, delimiter) || isPrefixed(name, after, delimiter);
}
