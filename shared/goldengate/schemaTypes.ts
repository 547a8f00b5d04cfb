import type { FieldNames } from './fieldNames.ts';
import { isObject, type JsonObject, member } from './members.ts';
import { declaredType } from './record.ts';

/** What a table's schema declares of its columns: name -> JSON type. */
export interface SchemaTypes {
  /** The qualified name of the table. */
  readonly name: string;
  readonly types: { readonly [column: string]: string };
}

/** Parts of an id, the last of which is the table in the ids of schemas of one table. */
const ID_SEPARATORS = /[:/#]/;

/**
 * The column types in a schema of one table's rows; undefined for any other schema. The table is the one value that the
 * schema allows for its name, or the last part of the schema's id where that is a qualified name.
 */
export function schemaTypes(id: string, schema: JsonObject, names: FieldNames): SchemaTypes | undefined {
  const properties = member(schema, 'properties');
  if (!isObject(properties)) return undefined;
  const name = onlyTable(properties, names) ?? id.split(ID_SEPARATORS).findLast((part) => part !== '') ?? '';
  if (!name.includes('.')) return undefined;
  const types = new Map<string, string>();
  for (const image of [names.before, names.after]) {
    const columns = member(objectIn(properties, image), 'properties');
    if (!isObject(columns)) continue;
    for (const [column, declared] of Object.entries(columns)) {
      const type = isObject(declared) ? declaredType(member(declared, 'type')) : null;
      if (type !== null) types.set(column, type);
    }
  }
  return types.size === 0 ? undefined : { name, types: Object.fromEntries(types) };
}

function onlyTable(properties: JsonObject, names: FieldNames): string | undefined {
  for (const field of names.table) {
    const declared = objectIn(properties, field);
    const allowed = member(declared, 'enum');
    const value =
      member(declared, 'const') ?? (Array.isArray(allowed) && allowed.length === 1 ? allowed[0] : undefined);
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  return isObject(value) ? value : {};
}
