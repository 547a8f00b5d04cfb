import type { Columns, JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { type DividedRecord, nonEmpty } from './dividedRecord.ts';
import type { FieldNames } from './fieldNames.ts';
import { isObject } from './members.ts';
import { knownColumns } from './missing.ts';
import type { GoldenGateOp } from './operations.ts';

/** A divided record, its images read. */
export interface Images extends DividedRecord {
  readonly before: Columns | null;
  readonly after: Columns | null;
}

/**
 * The images of a record. In the layout `row` the one image is of the row as it was before a delete, as it is after
 * anything else. Throws UnprocessableError (`invalid-envelope`) for an image that is no object.
 */
export function readImages(divided: DividedRecord, fields: FieldNames, op: GoldenGateOp): Images {
  const before = imageOf(divided.before, fields.before, divided);
  const after = imageOf(divided.after, fields.after, divided);
  if (divided.layout === 'row' && op === 'delete') return { ...divided, before: after, after: null };
  // Mostly nothing has to be left out: no need for another object.
  const isRead = before === divided.before && after === divided.after;
  return isRead ? (divided as Images) : { ...divided, before, after };
}

function imageOf(image: JsonValue, name: string, { layout, hasHelpers }: DividedRecord): Columns | null {
  if (image === null) return null;
  if (!isObject(image)) throw new UnprocessableError('invalid-envelope', `${name} is no object`);
  if (layout === 'nested') return knownColumns(image);
  return hasHelpers ? nonEmpty(knownColumns(image)) : image;
}
