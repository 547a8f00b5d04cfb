import type { JsonValue } from '../change/json.ts';
import type { FieldNames } from './fieldNames.ts';
import { type Header, headerOf } from './header.ts';
import { type JsonObject, member, setMember } from './members.ts';
import { isHelper } from './missing.ts';

/**
 * The three layouts of a record. `nested`: its images are the values of `before` and `after`. `flattened`: their names
 * and a delimiter precede each column's. `row`: what is no field is a column of the one image that there is.
 */
export type Layout = 'nested' | 'flattened' | 'row';

/** A record, its members divided into images and the rest. */
export interface DividedRecord extends Header {
  readonly layout: Layout;
  /** The image as it was sent where the record nests it, which need not be an object; null where it has none. */
  readonly before: JsonValue;
  /** Likewise. In the layout `row` the one image that there is, of whatever it is. */
  readonly after: JsonValue;
  /** Whether a column of an image that is not nested is called as if it told that another is missing. */
  readonly hasHelpers: boolean;
  /** What is no image, verbatim. */
  readonly origin: JsonObject;
}

/**
 * Divides a record by the names of its members: their values decide nothing, nor does what is known of its table
 * (`divideByColumns`).
 */
export function divideRecord(record: JsonObject, fields: FieldNames, delimiter: string): DividedRecord {
  const before = member(record, fields.before);
  const after = member(record, fields.after);
  if (before === undefined && after === undefined) return divideUnnested(record, fields, delimiter);
  const origin: { [name: string]: JsonValue } = {};
  for (const name in record) {
    if (name !== fields.before && name !== fields.after) setMember(origin, name, record[name] ?? null);
  }
  const images = { before: before ?? null, after: after ?? null, hasHelpers: false };
  return { layout: 'nested', ...images, origin, ...headerOf(record, fields) };
}

function divideUnnested(record: JsonObject, fields: FieldNames, delimiter: string): DividedRecord {
  const columns: { [name: string]: JsonValue } = {};
  const origin: { [name: string]: JsonValue } = {};
  let isFlattened = false;
  for (const name in record) {
    const value = record[name] ?? null;
    if (fields.all.has(name)) setMember(origin, name, value);
    else {
      setMember(columns, name, value);
      isFlattened ||= isPrefixed(name, fields.after, delimiter) || isPrefixed(name, fields.before, delimiter);
    }
  }
  const header = headerOf(record, fields);
  const hasHelpers = Object.keys(columns).some(isHelper);
  if (!isFlattened) return { layout: 'row', before: null, after: nonEmpty(columns), hasHelpers, origin, ...header };
  return { layout: 'flattened', ...divideFlattened(columns, origin, fields, delimiter), hasHelpers, ...header };
}

/** Beside the columns of flattened images, what has no prefix is the record's own. */
function divideFlattened(members: JsonObject, fieldsSent: JsonObject, fields: FieldNames, delimiter: string) {
  const before: { [name: string]: JsonValue } = {};
  const after: { [name: string]: JsonValue } = {};
  const origin: { [name: string]: JsonValue } = { ...fieldsSent };
  for (const name in members) {
    const value = members[name] ?? null;
    if (isPrefixed(name, fields.after, delimiter)) {
      setMember(after, name.slice(fields.after.length + delimiter.length), value);
    } else if (isPrefixed(name, fields.before, delimiter)) {
      setMember(before, name.slice(fields.before.length + delimiter.length), value);
    } else setMember(origin, name, value);
  }
  return { before: nonEmpty(before), after: nonEmpty(after), origin };
}

export function isPrefixed(name: string, image: string, delimiter: string): boolean {
  // Asked for every column of every record: most names start with another letter.
  if (name.charCodeAt(0) !== image.charCodeAt(0)) return false;
  return name.startsWith(image) && name.startsWith(delimiter, image.length);
}

export function nonEmpty<Image extends JsonObject>(image: Image): Image | null {
  for (const _ in image) return image;
  return null;
}
