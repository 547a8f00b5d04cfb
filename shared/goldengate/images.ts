import type { Columns, JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { FieldNames } from './fieldNames.ts';
import { isObject } from './members.ts';
import { knownColumns } from './missing.ts';
import type { GoldenGateOp } from './operations.ts';
import { nonEmpty, type RecordParts } from './recordParts.ts';

/** A record taken apart, its images read. */
export interface Images extends RecordParts {
  readonly before: Columns | null;
  readonly after: Columns | null;
}

/**
 * The images of a record. In the layout `row` the one image is of the row as it was before a delete, as it is after
 * anything else. Throws UnprocessableError (`invalid-envelope`) for an image that is no object.
 */
export function readImages(parts: RecordParts, fields: FieldNames, op: GoldenGateOp): Images {
  const before = imageOf(parts.before, fields.before, parts);
  const after = imageOf(parts.after, fields.after, parts);
  if (parts.layout === 'row' && op === 'delete') return { ...parts, before: after, after: null };
  // Mostly nothing has to be left out: no need for another object.
  const isRead = before === parts.before && after === parts.after;
  return isRead ? (parts as Images) : { ...parts, before, after };
}

function imageOf(image: JsonValue, name: string, { layout, hasHelpers }: RecordParts): Columns | null {
  if (image === null) return null;
  if (!isObject(image)) throw new UnprocessableError('invalid-envelope', `${name} is no object`);
  if (layout === 'nested') return knownColumns(image);
  return hasHelpers ? nonEmpty(knownColumns(image)) : image;
}
