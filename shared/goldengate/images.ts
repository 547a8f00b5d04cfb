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

/**
 * Tells the three layouts apart and reads the images. Operation-modelled: `before` and `after` hold them. Flattened: their
 * names and a delimiter precede each column's. Row-modelled: what is no field is a column, of the row as it was before a
 * delete, as it is after anything else. Throws UnprocessableError (`invalid-envelope`) for an image that is no object.
 */
export function readImages(record: JsonObject, names: FieldNames, delimiter: string, op: GoldenGateOp): Images {
  if (Object.hasOwn(record, names.before) || Object.hasOwn(record, names.after)) {
    return {
      before: nestedImage(record, names.before),
      after: nestedImage(record, names.after),
      origin: without(record, (name) => name === names.before || name === names.after),
    };
  }
  return unnestedImages(record, names, delimiter, op);
}

function nestedImage(record: JsonObject, name: string): Columns | null {
  const image = member(record, name);
  if (image === undefined || image === null) return null;
  if (!isObject(image)) throw new UnprocessableError('invalid-envelope', `${name} is no object`);
  return known(image);
}

function unnestedImages(record: JsonObject, names: FieldNames, delimiter: string, op: GoldenGateOp): Images {
  const beforePrefix = names.before + delimiter;
  const afterPrefix = names.after + delimiter;
  const before: { [name: string]: JsonValue } = {};
  const after: { [name: string]: JsonValue } = {};
  const columns: { [name: string]: JsonValue } = {};
  const origin: { [name: string]: JsonValue } = {};
  let isFlattened = false;
  for (const name of Object.keys(record)) {
    const value = record[name] ?? null;
    if (names.all.has(name)) setMember(origin, name, value);
    else if (name.startsWith(afterPrefix)) {
      isFlattened = true;
      setMember(after, name.slice(afterPrefix.length), value);
    } else if (name.startsWith(beforePrefix)) {
      isFlattened = true;
      setMember(before, name.slice(beforePrefix.length), value);
    } else setMember(columns, name, value);
  }
  if (isFlattened) {
    return { before: nonEmpty(known(before)), after: nonEmpty(known(after)), origin: { ...origin, ...columns } };
  }
  const image = nonEmpty(known(columns));
  return op === 'delete' ? { before: image, after: null, origin } : { before: null, after: image, origin };
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
  let hasHelper = false;
  for (const name in image) {
    if (name.endsWith(HELPER) && Object.hasOwn(image, name.slice(0, -HELPER.length))) {
      hasHelper = true;
      break;
    }
  }
  if (!hasHelper) return image;
  const isHelper = (name: string) => name.endsWith(HELPER) && Object.hasOwn(image, name.slice(0, -HELPER.length));
  const isMissing = (name: string) => {
    const helper = member(image, name + HELPER);
    return helper === true || helper === 'true';
  };
  return without(image, (name) => isHelper(name) || isMissing(name));
}

function without(object: JsonObject, isLeftOut: (name: string) => boolean): JsonObject {
  const rest: { [name: string]: JsonValue } = {};
  for (const name of Object.keys(object)) if (!isLeftOut(name)) setMember(rest, name, object[name] ?? null);
  return rest;
}
