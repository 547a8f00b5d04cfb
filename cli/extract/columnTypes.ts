import { sqlType } from '../../shared/ces/sqlTypes.ts';
import type { RowKey, Source } from '../../shared/change/change.ts';
import { exactNumber, isDecimal } from '../../shared/change/exact.ts';
import type { JsonValue } from '../../shared/change/json.ts';
import { rowId } from '../../shared/change/keys.ts';
import { keyIn } from '../../shared/goldengate/rowKey.ts';
import type { CatalogDocument, CatalogStorage } from '../../shared/ingest/catalogStore.ts';
import { qlikType } from '../../shared/qlik/types.ts';
import { UsageError } from '../command.ts';

/** What the catalog, or the user, says of a table: the declared types of its columns, and its key where that is known. */
export interface TableColumns {
  readonly source: Source;
  readonly stream: string;
  readonly types: ReadonlyMap<string, string>;
  readonly key: readonly string[];
}

/** The members that the table documents of all sources share. */
interface TableDocument extends CatalogDocument {
  readonly columns?: readonly { readonly name: string; readonly type: string | null }[];
  readonly key?: readonly string[];
}

const TABLE = /^(ces|goldengate|qlik|blob)\/([^/]+)\/(.+)$/;

/** Reads what the catalog has of `table`, overruled by `--types`. Throws UsageError for a name that is none. */
export async function tableColumns(catalog: CatalogStorage, table: string, types?: string): Promise<TableColumns> {
  const [, source, stream] = TABLE.exec(table) ?? [];
  if (stream === undefined || !isSource(source)) {
    throw new UsageError('--table is <source>/<stream>/<name>, for instance ces/sales/Shop.dbo.Orders');
  }
  const stored = await catalog.read<TableDocument>(stream, `table:${rowId([table])}`);
  const declared = new Map<string, string>();
  for (const { name, type } of stored?.document.columns ?? []) if (type !== null) declared.set(name, type);
  for (const [name, type] of givenTypes(types)) declared.set(name, type);
  return { source, stream, types: declared, key: stored?.document.key ?? [] };
}

/** The value of a column as the stream itself would have brought it; undefined where no type tells. */
export function typedValue({ source, types }: TableColumns, column: string, value: JsonValue): JsonValue | undefined {
  if (value === null) return null;
  const type = types.get(column);
  if (type === undefined) return undefined;
  if (source === 'qlik') return qlikType(type).read(value) ?? value;
  if (source === 'goldengate') return goldenGateValue(type, value);
  return sqlType(type).read(value) ?? value;
}

/** The key of a row by its typed columns, as the stream itself would have made it. Throws UsageError. */
export function rowKeyOf(table: TableColumns, key: readonly string[], row: ReadonlyMap<string, JsonValue>): RowKey {
  const values = key.map((column): [string, JsonValue] => {
    const value = row.get(column);
    if (value === undefined) throw new UsageError(`there is no column ${column} for the key`);
    return [column, value];
  });
  const keys = Object.fromEntries(values);
  if (table.source === 'goldengate') {
    const columns = key.map((name) => ({ name, type: table.types.get(name) ?? null }));
    return keyIn(columns, keys, null) ?? { keys, key: '' };
  }
  const parts = values.map(([column, value]) => {
    const type = table.types.get(column);
    return table.source === 'qlik' ? qlikType(type ?? null).keyText(value) : sqlType(type).keyText(value);
  });
  return { keys, key: rowId(parts) };
}

function goldenGateValue(type: string, value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  if ((type === 'number' || type === 'integer') && isDecimal(value)) return exactNumber(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** `Id=int,Price=decimal(10,2)`: commas inside parentheses belong to the type. */
function givenTypes(text: string | undefined): [string, string][] {
  if (text === undefined) return [];
  return text.split(/,(?![^(]*\))/).map((pair): [string, string] => {
    const [name, type] = pair.split('=', 2);
    if (name === undefined || type === undefined || name === '' || type === '') {
      throw new UsageError('--types is a list such as Id=int,Price=decimal(10,2)');
    }
    return [name.trim(), type.trim()];
  });
}

function isSource(name: string | undefined): name is Source {
  return name === 'ces' || name === 'goldengate' || name === 'qlik' || name === 'blob';
}
