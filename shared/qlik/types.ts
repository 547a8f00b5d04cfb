import type { AvroType } from '../avro/schema.ts';
import { canonicalDecimal, exactNumber, isDecimal } from '../change/exact.ts';
import { canonicalJson, type JsonValue } from '../change/json.ts';
import { isoMoment, isTime, withoutFractionZeros } from './times.ts';

/** How the values of one data type of Replicate are read, whether they came in JSON or Avro. */
export interface QlikType {
  /** The exact JSON value of a value as sent, or undefined where it is no value of this type. Never called with null. */
  readonly read: (value: JsonValue) => JsonValue | undefined;
  /** One text per value, however it was written: for keys. */
  readonly keyText: (value: JsonValue) => string | null;
  /** Whether every value stays as it was sent. */
  readonly isText: boolean;
  /** Whether the values of this Avro type are read as exact values of this type already. */
  readonly isExactInAvro: (avro: AvroType) => boolean;
  /** Large objects are never in a `changeMask`, and arrive as null where an update did not touch them. */
  readonly isLob: boolean;
}

const INTEGER = /^[+-]?\d+$/;
const PLAIN_DECIMAL = /^-?\d+(?:\.\d+)?$/;
const HEX = /^(?:[0-9A-Fa-f]{2})*$/;
const LOWER_HEX = /[a-f]/;

const TEXT: QlikType = {
  read: (value) => value,
  keyText: plainKeyText,
  isText: true,
  isExactInAvro: () => true,
  isLob: false,
};
const LARGE_TEXT: QlikType = { ...TEXT, isLob: true };
const BYTES: QlikType = {
  read: readHex,
  keyText: plainKeyText,
  isText: false,
  isExactInAvro: isPlain('bytes'),
  isLob: false,
};
const LARGE_BYTES: QlikType = { ...BYTES, isLob: true };
const INTEGRAL: QlikType = {
  read: readInteger,
  keyText: decimalKeyText,
  isText: false,
  isExactInAvro: isPlain('int', 'long'),
  isLob: false,
};
const REAL: QlikType = { read: readReal, keyText: decimalKeyText, isText: false, isExactInAvro: never, isLob: false };
const NUMERIC: QlikType = {
  read: readNumeric,
  keyText: decimalKeyText,
  isText: false,
  isExactInAvro: isLogical('decimal'),
  isLob: false,
};
const BOOLEAN: QlikType = {
  read: readBoolean,
  keyText: plainKeyText,
  isText: false,
  isExactInAvro: isPlain('boolean'),
  isLob: false,
};
const MOMENT: QlikType = {
  read: readMoment,
  keyText: timeKeyText,
  isText: false,
  isExactInAvro: isLogical('date', 'timestamp'),
  isLob: false,
};
const TIME: QlikType = {
  read: readTime,
  keyText: timeKeyText,
  isText: false,
  isExactInAvro: isLogical('time'),
  isLob: false,
};

const TYPES = new Map<string, QlikType>([
  ['STRING', TEXT],
  ['WSTRING', TEXT],
  ['CLOB', LARGE_TEXT],
  ['NCLOB', LARGE_TEXT],
  ['BYTES', BYTES],
  ['BLOB', LARGE_BYTES],
  ['INT1', INTEGRAL],
  ['INT2', INTEGRAL],
  ['INT4', INTEGRAL],
  ['INT8', INTEGRAL],
  ['UINT1', INTEGRAL],
  ['UINT2', INTEGRAL],
  ['UINT4', INTEGRAL],
  ['UINT8', INTEGRAL],
  ['REAL4', REAL],
  ['REAL8', REAL],
  ['NUMERIC', NUMERIC],
  ['BOOLEAN', BOOLEAN],
  ['DATE', MOMENT],
  ['DATETIME', MOMENT],
  ['TIME', TIME],
]);

/** The type of this name; one that is not known, or null where nothing tells, keeps values as sent. */
export function qlikType(name: string | null): QlikType {
  return (name === null ? undefined : TYPES.get(name.toUpperCase())) ?? TEXT;
}

/** Not-a-number and the infinities are read as texts, which are no values of a column. */
function never(): boolean {
  return false;
}

function isPlain(...kinds: readonly AvroType['kind'][]): QlikType['isExactInAvro'] {
  return (avro) => kinds.includes(avro.kind) && !('logical' in avro && avro.logical !== null);
}

/** `names`: how the names of the logical types begin. */
function isLogical(...names: readonly string[]): QlikType['isExactInAvro'] {
  return (avro) => 'logical' in avro && names.some((name) => avro.logical?.name.startsWith(name));
}

function readInteger(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  return typeof value === 'string' && INTEGER.test(value) ? exactNumber(value) : undefined;
}

function readReal(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && isDecimal(value) ? exactNumber(value) : undefined;
}

function readNumeric(value: JsonValue): string | undefined {
  if (typeof value === 'number') return canonicalDecimal(String(value));
  return typeof value === 'string' && (PLAIN_DECIMAL.test(value) || isDecimal(value)) ? value : undefined;
}

function readHex(value: JsonValue): string | undefined {
  if (typeof value !== 'string' || !HEX.test(value)) return undefined;
  return LOWER_HEX.test(value) ? value.toUpperCase() : value;
}

function readBoolean(value: JsonValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  switch (String(value).toLowerCase()) {
    case '1':
    case 'true':
      return true;
    case '0':
    case 'false':
      return false;
    default:
      return undefined;
  }
}

function readMoment(value: JsonValue): string | undefined {
  return typeof value === 'string' ? isoMoment(value) : undefined;
}

function readTime(value: JsonValue): string | undefined {
  return typeof value === 'string' && isTime(value) ? value : undefined;
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

function timeKeyText(value: JsonValue): string | null {
  return typeof value === 'string' ? withoutFractionZeros(value) : plainKeyText(value);
}
