import { AvroCursor } from '../avro/cursor.ts';
import type { AvroRecord, AvroType, LogicalType } from '../avro/schema.ts';
import { exactNumber } from '../change/exact.ts';
import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { remembering } from './remembering.ts';
import { dayText, momentText, timeText } from './times.ts';

/**
 * Avro to exact JSON values, in one pass that checks every bound. (Libraries trust the counts in the bytes, and round 64-bit
 * numbers.) What comes out is what Replicate would have sent in JSON: bytes as upper-case hexadecimal digits, decimals as
 * texts of all their digits, moments as ISO 8601.
 */
export type AvroReader = (cursor: AvroCursor) => JsonValue;

/** Shortest and longest number of digits that tell one single-precision number from all others. */
const FLOAT_DIGITS = [6, 7, 8, 9] as const;

export function readerOf(type: AvroType, known: Readers = new Map()): AvroReader {
  const reader = known.get(type) ?? newReader(type, known);
  known.set(type, reader);
  return reader;
}

/** A type that a schema names several times, as both images of a row, has one reader: what it remembers serves both. */
type Readers = Map<AvroType, AvroReader>;

function newReader(type: AvroType, known: Readers): AvroReader {
  switch (type.kind) {
    case 'null':
      return () => null;
    case 'boolean':
      return (cursor) => cursor.readBoolean();
    case 'int':
    case 'long':
      return integerReader(type.logical);
    case 'float':
      return (cursor) => shortestFloat(cursor.readFloat());
    case 'double':
      return (cursor) => finite(cursor.readDouble());
    case 'string':
      return remembering((cursor, length) => cursor.readText(length));
    case 'bytes': {
      const { logical } = type;
      if (logical?.name !== 'decimal') return remembering((cursor, length) => cursor.readHex(length));
      return remembering((cursor, length) => decimalText(cursor, length, logical.scale));
    }
    case 'fixed': {
      const { size, logical } = type;
      if (logical?.name === 'decimal') return (cursor) => decimalText(cursor, size, logical.scale);
      return (cursor) => cursor.readHex(size);
    }
    case 'enum':
      return enumReader(type.symbols);
    case 'array':
      return arrayReader(readerOf(type.items, known));
    case 'map':
      return mapReader(readerOf(type.items, known));
    case 'union':
      return unionReader(type.branches, known);
    case 'record':
      return recordReader(type, known);
  }
}

/** Reads one value that fills `bytes`. Throws UnprocessableError (`undecodable`). */
export function readWhole(reader: AvroReader, bytes: Uint8Array): JsonValue {
  const cursor = new AvroCursor(bytes);
  const value = reader(cursor);
  cursor.expectEnd();
  return value;
}

/**
 * A record's members are always the same, in the same order, so its reader is made as code that says just that: the
 * engine then lays the objects out once and goes from member to member without looking anything up, which is worth a
 * tenth of the whole. The schema's reader has checked that names are letters, digits and `_`: nothing else gets into
 * the code.
 */
function recordReader({ fields }: AvroRecord, known: Readers): AvroReader {
  const readers = fields.map(({ type }) => readerOf(type, known));
  const members = fields.map(({ name }, at) => `${memberName(name)}: readers[${at}](cursor)`);
  const make = new Function('readers', `return (cursor) => ({ ${members.join(', ')} });`) as MakeReader;
  return make(readers);
}

type MakeReader = (readers: readonly AvroReader[]) => AvroReader;

/** A literal's `__proto__` would be its prototype. */
function memberName(name: string): string {
  return name === '__proto__' ? `["${name}"]` : name;
}

function unionReader(branches: readonly AvroType[], known: Readers): AvroReader {
  const readers = branches.map((branch) => readerOf(branch, known));
  const [first, second] = readers;
  if (readers.length === 2 && branches[0]?.kind === 'null' && second !== undefined) {
    return (cursor) => {
      const branch = cursor.readNumber();
      if (branch === 0) return null;
      if (branch === 1) return second(cursor);
      throw notOfSchema('a union has a branch that its schema lacks');
    };
  }
  return (cursor) => {
    const reader = readers[cursor.readNumber()];
    if (reader === undefined || first === undefined) throw notOfSchema('a union has a branch that its schema lacks');
    return reader(cursor);
  };
}

function enumReader(symbols: readonly string[]): AvroReader {
  return (cursor) => {
    const symbol = symbols[cursor.readNumber()];
    if (symbol === undefined) throw notOfSchema('an enum has a symbol that its schema lacks');
    return symbol;
  };
}

function arrayReader(item: AvroReader): AvroReader {
  return (cursor) => {
    const items: JsonValue[] = [];
    readBlocks(cursor, () => items.push(item(cursor)));
    return items;
  };
}

function mapReader(item: AvroReader): AvroReader {
  return (cursor) => {
    const members: [string, JsonValue][] = [];
    readBlocks(cursor, () => members.push([cursor.readText(), item(cursor)]));
    return Object.fromEntries(members);
  };
}

function readBlocks(cursor: AvroCursor, readItem: () => void): void {
  for (let count = cursor.readNumber(); count !== 0; count = cursor.readNumber()) {
    if (count < 0) cursor.readNumber();
    // Items of no bytes would let a few bytes ask for any number of them.
    if (Math.abs(count) > cursor.bytes.length - cursor.position) throw notOfSchema('a count is out of range');
    for (let left = Math.abs(count); left > 0; left--) readItem();
  }
}

function integerReader(logical: LogicalType | null): AvroReader {
  switch (logical?.name) {
    case 'date':
      return (cursor) => {
        const days = cursor.readNumber();
        return dayText(days) ?? days;
      };
    case 'time-millis':
      return (cursor) => timeOf(cursor.readNumber(), 3);
    case 'time-micros':
      return (cursor) => timeOf(cursor.readNumber(), 6);
    case 'timestamp-millis':
    case 'local-timestamp-millis':
      return momentReader(3);
    case 'timestamp-micros':
    case 'local-timestamp-micros':
      return momentReader(6);
    case 'timestamp-nanos':
    case 'local-timestamp-nanos':
      return momentReader(9);
    default:
      return (cursor) => longValue(cursor.readLong());
  }
}

function longValue(value: number | bigint): number | string {
  return typeof value === 'number' ? value : exactNumber(String(value));
}

function timeOf(units: number, digits: 3 | 6): JsonValue {
  return timeText(units, digits) ?? units;
}

function momentReader(digits: 3 | 6 | 9): AvroReader {
  let lastUnits: number | bigint | undefined;
  let last: JsonValue = null;
  return (cursor) => {
    const units = cursor.readLong();
    if (units === lastUnits) return last;
    last = momentText(units, digits) ?? longValue(units);
    lastUnits = units;
    return last;
  };
}

/** Avro's `decimal`: a number of units of ten to the minus `scale`. */
function decimalText(cursor: AvroCursor, length: number, scale: number): string {
  const units = String(cursor.readTwosComplement(length));
  if (scale === 0) return units;
  const sign = units.startsWith('-') ? '-' : '';
  const digits = units.slice(sign.length).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** A single-precision number as its shortest decimal, which is how JSON has it: 0.1, not 0.10000000149011612. */
function shortestFloat(value: number): JsonValue {
  if (Number.isInteger(value) || !Number.isFinite(value)) return finite(value);
  for (const digits of FLOAT_DIGITS) {
    const shortened = Number(value.toPrecision(digits));
    if (Math.fround(shortened) === value) return shortened;
  }
  return value;
}

/** JSON has no other numbers. */
function finite(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function notOfSchema(what: string): UnprocessableError {
  return new UnprocessableError('undecodable', `Avro: ${what}`);
}
