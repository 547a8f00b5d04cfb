import type { TableKnowledge } from './dataChange.ts';
import { DEFAULT_FIELDS, type FieldNames } from './fieldNames.ts';
import { isHelperIn } from './missing.ts';

/**
 * The columns of a table that has no metadata, as far as its schema declares their types. What is called like a field,
 * also by its default name, or like the helper of a column may be none.
 */
export function declaredColumns(types: TableKnowledge['types'], fields: FieldNames): readonly string[] {
  const isField = (name: string) => fields.all.has(name) || DEFAULT_FIELDS.all.has(name);
  return Object.keys(types).filter((name) => !isField(name) && !isHelperIn(types, name));
}
