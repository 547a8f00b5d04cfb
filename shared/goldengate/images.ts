import type { Columns, JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { FieldNames } from './fieldNames.ts';
import { isObject, type JsonObject, member, setMember } from './members.ts';
import type { GoldenGateOp } from './operations.ts';
import { HELPER, type Parted, type RecordShape } from './recordShape.ts';

/** A record taken apart, its images read. */
export interface Images extends Parted {
  readonly before: Columns | null;
  readonly after: Columns | null;
}

const LAST_OF_HELPER = HELPER.charCodeAt(HELPER.length - 1);

/**
 * Takes apart a record that has `shape`. In the layout `row` the one image is of the row as it was before a delete, as it
 * is after anything else. Throws UnprocessableError (`invalid-envelope`) for an image that is no object.
 */
export function readImages(record: JsonObject, shape: RecordShape, names: FieldNames, op: GoldenGateOp): Images {
  const parted = shape.part(record);
  const { layout } = shape;
  const before = imageOf(parted.before, names.before, shape);
  const after = imageOf(parted.after, names.after, shape);
  if (layout === 'row' && op === 'delete') return { ...parted, before: after, after: null };
  // Mostly nothing has to be left out: no need for another object.
  const isRead = before === parted.before && after === parted.after;
  return isRead ? (parted as Images) : { ...parted, before, after };
}

function imageOf(image: JsonValue, name: string, { layout, hasHelpers }: RecordShape): Columns | null {
  if (image === null) return null;
  if (!isObject(image)) throw new UnprocessableError('invalid-envelope', `${name} is no object`);
  if (layout === 'nested') return known(image);
  return hasHelpers ? nonEmpty(known(image)) : image;
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
