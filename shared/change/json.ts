/** A value as JSON has it: what a column of a row may hold. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * Column name -> value. An absent column is unknown, `null` is a value. Column names come from outside (`__proto__` is
 * just a name): build such objects with `Object.fromEntries`, spread or `JSON.parse`, never by assignment.
 */
export type Columns = { readonly [column: string]: JsonValue };

/** JSON text with sorted member names: equal values have equal texts. Decides ties between images of one token. */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
