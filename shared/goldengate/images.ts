import type { Columns, JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { FieldNames } from './fieldNames.ts';
import { isObject, type JsonObject, member, setMember } from './members.ts';
import type { GoldenGateOp } from './operations.ts';

/** What a record shows of its row, and what else it says. */
export interface Images {
  readonly before: Columns | null;
  readonly after: Columns | null;
  /** The record without its images, verbatim. */
  readonly origin: { readonly [name: string]: JsonValue };
}

const HELPER = '_isMissing';
const LAST_OF_HELPER = HELPER.charCodeAt(HELPER.length - 1);

/**
 * Tells the three layouts apart and reads the images. Operation-modelled: `before` and `after` hold them. Flattened: their
 * names and a delimiter precede each column's. Row-modelled: what is no field is a column, of the row as it was before a
 * delete, as it is after anything else. Throws UnprocessableError (`invalid-envelope`) for an image that is no object.
 */
export function readImages(record: JsonObject, names: FieldNames, delimiter: string, op: GoldenGateOp): Images {
  const before = member(record, names.before);
  const after = member(record, names.after);
  if (before !== undefined || after !== undefined) {
    const origin: { [name: string]: JsonValue } = {};
    for (const name in record) {
      if (name !== names.before && name !== names.after) setMember(origin, name, record[name] ?? null);
    }
    return { before: nestedImage(before, names.before), after: nestedImage(after, names.after), origin };
  }
  return unnestedImages(record, names, delimiter, op);
}

function nestedImage(image: JsonValue | undefined, name: string): Columns | null {
  if (image === undefined || image === null) return null;
  if (!isObject(image)) throw new UnprocessableError('invalid-envelope', `${name} is no object`);
  return known(image);
}

function unnestedImages(record: JsonObject, names: FieldNames, delimiter: string, op: GoldenGateOp): Images {
  const columns: { [name: string]: JsonValue } = {};
  const origin: { [name: string]: JsonValue } = {};
  let isFlattened = false;
  for (const name in record) {
    const value = record[name] ?? null;
    if (names.all.has(name)) setMember(origin, name, value);
    else {
      setMember(columns, name, value);
      isFlattened ||= isPrefixed(name, names.after, delimiter) || isPrefixed(name, names.before, delimiter);
    }
  }
  if (isFlattened) return flattenedImages(columns, origin, names, delimiter);
  const image = nonEmpty(known(columns));
  return op === 'delete' ? { before: image, after: null, origin } : { before: null, after: image, origin };
}

/** Beside the columns of flattened images, what has no prefix is the record's own. */
function flattenedImages(members: JsonObject, origin: JsonObject, names: FieldNames, delimiter: string): Images {
  const before: { [name: string]: JsonValue } = {};
  const after: { [name: string]: JsonValue } = {};
  const rest: { [name: string]: JsonValue } = {};
  for (const name in members) {
    const value = members[name] ?? null;
    if (isPrefixed(name, names.after, delimiter)) {
      setMember(after, name.slice(names.after.length + delimiter.length), value);
    } else if (isPrefixed(name, names.before, delimiter)) {
      setMember(before, name.slice(names.before.length + delimiter.length), value);
    } else setMember(rest, name, value);
  }
  return { before: nonEmpty(known(before)), after: nonEmpty(known(after)), origin: { ...origin, ...rest } };
}

function isPrefixed(name: string, image: string, delimiter: string): boolean {
  // Asked for every column of every record: most names start with another letter.
  if (name.charCodeAt(0) !== image.charCodeAt(0)) return false;
  return name.startsWith(image) && name.startsWith(delimiter, image.length);
}

function nonEmpty(image: Columns): Columns | null {
  for (const _ in image) return image;
  return null;
}

/**
 * The columns that `image` knows. Some producers name every column, give those that were not captured the value null, and
 * say so in a helper beside it: `<column>_isMissing`. Helpers without a column are columns themselves.
 */
function known(image: Columns): Columns {
  if (!hasHelper(image)) return image;
  const isMissing = (name: string) => {
    const helper = member(image, name + HELPER);
    return helper === true || helper === 'true';
  };
  return without(image, (name) => isHelper(image, name) || isMissing(name));
}

function hasHelper(image: Columns): boolean {
  for (const name in image) if (isHelper(image, name)) return true;
  return false;
}

function isHelper(image: Columns, name: string): boolean {
  // Asked for every column of every image: most names end in another letter.
  if (name.charCodeAt(name.length - 1) !== LAST_OF_HELPER) return false;
  return name.endsWith(HELPER) && Object.hasOwn(image, name.slice(0, -HELPER.length));
}

function without(object: JsonObject, isLeftOut: (name: string) => boolean): JsonObject {
  const rest: { [name: string]: JsonValue } = {};
  for (const name of Object.keys(object)) if (!isLeftOut(name)) setMember(rest, name, object[name] ?? null);
  return rest;
}
