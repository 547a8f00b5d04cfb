import type { JsonValue } from '../change/json.ts';
import { isPrefixed } from './dividedRecord.ts';
import { DEFAULT_FIELDS, type FieldNames } from './fieldNames.ts';
import { isObject, type JsonObject, member } from './members.ts';
import { declarationsOf, typeIn } from './schemaDeclarations.ts';

/** What a table's schema declares of its columns: name -> JSON type. */
export interface SchemaTypes {
  /** The qualified name of the table. */
  readonly name: string;
  readonly types: { readonly [column: string]: string };
}

/** The id of a schema of one table's rows says so, then names the table; a version may follow. */
const ROWS_OF_TABLE = /(?:^|[:/#])dml[:/#]([^:/]+)/i;
/** Between the parts of other ids, the last of which is the table. */
const ID_SEPARATORS = /[:/#]/;
const VERSION = /^v\d+(\.\d+)*$|^\d+(\.\d+)+$/i;

/**
 * The column types in a schema of one table's rows, whose properties are laid out as its records are; undefined for any
 * other schema. The table is the one value that the schema allows for its name, or the qualified name in the schema's
 * id.
 */
export function schemaTypes(
  id: string,
  schema: JsonObject,
  fields: FieldNames,
  delimiter: string,
): SchemaTypes | undefined {
  const properties = member(schema, 'properties');
  if (!isObject(properties)) return undefined;
  const name = onlyTable(properties, fields) ?? onlyTable(properties, DEFAULT_FIELDS) ?? tableIn(id);
  if (!name.includes('.')) return undefined;
  const columns =
    imageColumns(schema, properties, fields, delimiter) ??
    imageColumns(schema, properties, DEFAULT_FIELDS, delimiter) ??
    Object.entries(properties).filter(([property]) => !fields.all.has(property));
  const types = new Map<string, string>();
  for (const [column, declared] of columns) {
    const type = typeIn(schema, declared);
    if (type !== null) types.set(column, type);
  }
  return types.size === 0 ? undefined : { name, types: Object.fromEntries(types) };
}

/** Each column of the images, nested or flattened, and its declaration; undefined for a schema without images. */
function imageColumns(
  schema: JsonObject,
  properties: JsonObject,
  { before, after }: FieldNames,
  delimiter: string,
): readonly [string, JsonValue][] | undefined {
  const images = [before, after].flatMap((image) => declarationsOf(schema, member(properties, image)));
  const nested = images.map((image) => member(image, 'properties')).filter(isObject);
  const areNested = images.some((image) => [member(image, 'type')].flat().includes('object'));
  if (areNested || nested.length > 0) return nested.flatMap((columns) => Object.entries(columns));
  const flattened = Object.entries(properties).flatMap(([name, declared]): [string, JsonValue][] => {
    const image = [before, after].find((each) => isPrefixed(name, each, delimiter));
    const column = image === undefined ? '' : name.slice(image.length + delimiter.length);
    return column === '' ? [] : [[column, declared]];
  });
  return flattened.length === 0 ? undefined : flattened;
}

function tableIn(id: string): string {
  const rowsOf = ROWS_OF_TABLE.exec(id);
  if (rowsOf !== null) return rowsOf[1] ?? '';
  const parts = id.split(ID_SEPARATORS).filter((part) => part !== '' && !VERSION.test(part));
  return parts.at(-1) ?? '';
}

function onlyTable(properties: JsonObject, fields: FieldNames): string | undefined {
  for (const field of fields.table) {
    const declared = member(properties, field);
    if (!isObject(declared)) continue;
    const allowed = member(declared, 'enum');
    const value =
      member(declared, 'const') ?? (Array.isArray(allowed) && allowed.length === 1 ? allowed[0] : undefined);
    if (typeof value === 'string') return value;
  }
  return undefined;
}
