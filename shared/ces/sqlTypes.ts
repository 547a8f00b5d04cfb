import { canonicalDecimal, exactNumber, isDecimal } from '../change/exact.ts';
import { canonicalJson, type JsonValue } from '../change/json.ts';
import { canonicalMoment, canonicalTime, isoMoment, isTime } from './sqlTimes.ts';

/** How the values of one declared SQL type are read. */
export interface SqlType {
  /** The exact JSON value of a value as sent, or undefined where it is no value of this type. Never called with null. */
  readonly read: (value: JsonValue) => JsonValue | undefined;
  /** One text per value, however it was written: for keys. Given what `read` returned, or the value as sent where it failed. */
  readonly keyText: (value: JsonValue) => string | null;
  /** Whether the server stores two bytes per character, which decides where its cut at 1 MB falls. */
  readonly isWide: boolean;
}

const INTEGER = /^[+-]?\d+$/;
const PLAIN_DECIMAL = /^-?\d+(?:\.\d+)?$/;
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const TEXT: SqlType = { read: asSent, keyText: plainKeyText, isWide: false };
const WIDE_TEXT: SqlType = { read: asSent, keyText: plainKeyText, isWide: true };
const BIT: SqlType = { read: readBit, keyText: plainKeyText, isWide: false };
const INT: SqlType = { read: readInteger, keyText: decimalKeyText, isWide: false };
const FLOAT: SqlType = { read: readFloat, keyText: decimalKeyText, isWide: false };
const DECIMAL: SqlType = { read: readDecimal, keyText: decimalKeyText, isWide: false };
const BIGINT: SqlType = { read: readBigint, keyText: decimalKeyText, isWide: false };
const GUID_TYPE: SqlType = { read: readGuid, keyText: plainKeyText, isWide: false };
const DATE: SqlType = momentType('date');
const DATETIME: SqlType = momentType('datetime');
const DATETIMEOFFSET: SqlType = momentType('datetimeoffset');
const TIME: SqlType = {
  read: (value) => (typeof value === 'string' && isTime(value) ? value : undefined),
  keyText: (value) => (typeof value === 'string' ? canonicalTime(value) : plainKeyText(value)),
  isWide: false,
};

const TYPES = new Map<string, SqlType>([
  ['bit', BIT],
  ['tinyint', INT],
  ['smallint', INT],
  ['int', INT],
  ['integer', INT],
  ['real', FLOAT],
  ['float', FLOAT],
  ['bigint', BIGINT],
  ['decimal', DECIMAL],
  ['dec', DECIMAL],
  ['numeric', DECIMAL],
  ['money', DECIMAL],
  ['smallmoney', DECIMAL],
  ['date', DATE],
  ['datetime', DATETIME],
  ['datetime2', DATETIME],
  ['smalldatetime', DATETIME],
  ['datetimeoffset', DATETIMEOFFSET],
  ['time', TIME],
  ['uniqueidentifier', GUID_TYPE],
  ['nchar', WIDE_TEXT],
  ['nvarchar', WIDE_TEXT],
  ['sysname', WIDE_TEXT],
]);

/** The type without its length, precision or scale. */
const BASE_NAME = /^\s*\[?([a-z]\w*)/i;

/** The type that a column is declared as, such as `nvarchar(50)`; a type that is not known, or absent, keeps values as sent. */
export function sqlType(declared: string | undefined): SqlType {
  if (declared === undefined) return WIDE_TEXT;
  const name = BASE_NAME.exec(declared)?.[1]?.toLowerCase() ?? '';
  return TYPES.get(name) ?? TEXT;
}

/** The key text of a value by the type of its column; null for SQL NULL. For `rowId`. */
export function keyText(value: JsonValue, declared: string | undefined): string | null {
  const type = sqlType(declared);
  const exact = value === null ? null : (type.read(value) ?? value);
  return type.keyText(exact);
}

/** Whether exactness needs the digits of a JSON number as sent, rather than the number. */
export function keepsDigits(type: SqlType): boolean {
  return type === DECIMAL || type === BIGINT;
}

function asSent(value: JsonValue): JsonValue {
  return value;
}

function readBit(value: JsonValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = String(value);
  if (text === '1' || text === '0') return text === '1';
  const word = text.toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

function readInteger(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  if (typeof value !== 'string' || !INTEGER.test(value)) return undefined;
  const number = exactNumber(value);
  return typeof number === 'number' ? number : undefined;
}

function readFloat(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && isDecimal(value) ? exactNumber(value) : undefined;
}

function readDecimal(value: JsonValue): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  return PLAIN_DECIMAL.test(text) || isDecimal(text) ? text : undefined;
}

function readBigint(value: JsonValue): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  return INTEGER.test(text) ? text : undefined;
}

function readGuid(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.toLowerCase();
  return GUID.test(text) ? text : undefined;
}

function momentType(kind: 'date' | 'datetime' | 'datetimeoffset'): SqlType {
  return {
    read: (value) => (typeof value === 'string' ? isoMoment(value) : undefined),
    keyText: (value) => (typeof value === 'string' ? canonicalMoment(value, kind) : plainKeyText(value)),
    isWide: false,
  };
}

function plainKeyText(value: JsonValue): string | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'object' ? canonicalJson(value) : String(value);
}

function decimalKeyText(value: JsonValue): string | null {
  if (Number.isSafeInteger(value)) return String(value);
  const text = plainKeyText(value);
  return text === null ? null : (canonicalDecimal(text) ?? text);
}
