import type { Columns, JsonValue } from '../change/json.ts';
import { limitNesting } from './exactParse.ts';
import type { CesImage } from './payload.ts';
import { keepsDigits, type SqlType } from './sqlTypes.ts';
import type { ShapeColumn, TableShape } from './tableShape.ts';

/** The source cuts a column's value at this size, without a word. */
const CUT_BYTES = 1_048_576;
/** A cut inside a character leaves up to three bytes less. */
const CUT_SLACK_BYTES = 3;
/** The server stores `nvarchar` in two bytes per character, and a cut there counts those; half a pair may be dropped. */
const CUT_WIDE_CHARACTERS = CUT_BYTES / 2 - 1;
/** UTF-8 has at most three bytes per UTF-16 unit, so shorter texts need no counting. */
const SURELY_WHOLE_CHARACTERS = Math.floor((CUT_BYTES - CUT_SLACK_BYTES) / 3);

/** Columns about which the reader of a change should know something. */
export interface ImageNotes {
  /** Columns whose value is not of their type and was kept as sent. */
  readonly valueErrors: string[];
  /** Columns whose value is so large that the source may have cut it. */
  readonly maybeTruncated: string[];
}

/** A row under construction. Set by `setColumn` only: column names come from outside. */
type Row = { [column: string]: JsonValue };

/** The columns of an image as exact values. Throws UnprocessableError (`undecodable`) for values that nest too deep. */
export function readImage(image: CesImage, shape: TableShape, notes: ImageNotes): Row {
  const row: Row = {};
  for (const name in image.row) {
    const sent = image.row[name];
    if (sent === undefined) continue;
    const column = shape.columns.get(name);
    const value = image.digits === undefined ? sent : digitsOf(sent, name, image.digits, column);
    setColumn(row, name, readValue(name, value, column, notes));
  }
  return row;
}

/** Reads one value by the type of its column, if declared, and notes what is odd about it. */
export function readValue(
  name: string,
  sent: JsonValue,
  column: ShapeColumn | undefined,
  notes: ImageNotes,
): JsonValue {
  if (sent === null) return null;
  if (typeof sent === 'object') limitNesting(sent, 'a value');
  if (typeof sent === 'string' && mayBeCut(sent, column?.type)) note(notes.maybeTruncated, name);
  if (column === undefined) return sent;
  const value = column.type.read(sent);
  if (value !== undefined) return value;
  note(notes.valueErrors, name);
  return sent;
}

/** `row` with those columns of the key that it lacks: every image carries its key. */
export function withKey(row: Row, keys: Columns): Columns {
  for (const name in keys) {
    const value = keys[name];
    if (value !== undefined && !Object.hasOwn(row, name)) setColumn(row, name, value);
  }
  return row;
}

/** Assignment would take a column called `__proto__` for the object's prototype. */
export function setColumn(row: Row, name: string, value: JsonValue): void {
  if (name !== '__proto__') row[name] = value;
  else Object.defineProperty(row, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Both images of a change, and its key, may have something to say about one column. */
function note(names: string[], name: string): void {
  if (!names.includes(name)) names.push(name);
}

function digitsOf(
  sent: JsonValue,
  name: string,
  digits: ReadonlyMap<string, string>,
  column: ShapeColumn | undefined,
): JsonValue {
  return column !== undefined && keepsDigits(column.type) ? (digits.get(name) ?? sent) : sent;
}

function mayBeCut(text: string, type: SqlType | undefined): boolean {
  if (text.length < SURELY_WHOLE_CHARACTERS) return false;
  if (text.length >= CUT_WIDE_CHARACTERS && (type === undefined || type.isWide)) return true;
  return Buffer.byteLength(text, 'utf8') >= CUT_BYTES - CUT_SLACK_BYTES;
}
