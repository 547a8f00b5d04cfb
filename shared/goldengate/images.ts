import type { Columns, JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { FieldNames } from './fieldNames.ts';
import { isObject, type JsonObject, member, setMember } from './members.ts';
import type { GoldenGateOp } from './operations.ts';
import { type Layout, nonEmpty, type RecordParts } from './recordParts.ts';

/** A record taken apart, its images read. */
export interface Images extends RecordParts {
  readonly before: Columns | null;
  readonly after: Columns | null;
}

/** Ends the name of a member that tells whether a column is missing. */
const HELPER = '_isMissing';
const LAST_OF_HELPER = HELPER.charCodeAt(HELPER.length - 1);

/**
 * The images of a record. In the layout `row` the one image is of the row as it was before a delete, as it is after
 * anything else. Throws UnprocessableError (`invalid-envelope`) for an image that is no object.
 */
export function readImages(parts: RecordParts, names: FieldNames, op: GoldenGateOp): Images {
  const before = imageOf(parts.before, names.before, parts.layout);
  const after = imageOf(parts.after, names.after, parts.layout);
  if (parts.layout === 'row' && op === 'delete') return { ...parts, before: after, after: null };
  // Mostly nothing has to be left out: no need for another object.
  const isRead = before === parts.before && after === parts.after;
  return isRead ? (parts as Images) : { ...parts, before, after };
}

function imageOf(image: JsonValue, name: string, layout: Layout): Columns | null {
  if (image === null) return null;
  if (!isObject(image)) throw new UnprocessableError('invalid-envelope', `${name} is no object`);
  return layout === 'nested' ? known(image) : nonEmpty(known(image));
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
