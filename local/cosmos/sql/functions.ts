import { deepEqual, isJsonObject, type Json, propertyOf } from '../json.ts';

type Value = Json | undefined;

/** A built-in scalar function: how many arguments it takes, and what it gives. */
export interface BuiltIn {
  readonly least: number;
  readonly most: number;
  readonly run: (args: readonly Value[]) => Value;
}

function define(least: number, most: number, run: (...args: readonly Value[]) => Value): BuiltIn {
  return { least, most, run: (args) => run(...args) };
}

/** A function of strings only: any other argument makes the result undefined. */
function ofText(run: (text: string, other: string) => Value, count: 1 | 2): BuiltIn {
  return define(count, count, (first, second) => {
    if (typeof first !== 'string' || (count === 2 && typeof second !== 'string')) return undefined;
    return run(first, typeof second === 'string' ? second : '');
  });
}

/** A comparison of two strings with an optional "ignore case". */
function comparing(run: (text: string, other: string) => boolean): BuiltIn {
  return define(2, 3, (text, other, ignoreCase = false) => {
    if (typeof text !== 'string' || typeof other !== 'string' || typeof ignoreCase !== 'boolean') return undefined;
    return ignoreCase ? run(text.toLowerCase(), other.toLowerCase()) : run(text, other);
  });
}

function ofNumber(run: (value: number) => number): BuiltIn {
  return define(1, 1, (value) => (typeof value === 'number' ? run(value) : undefined));
}

function testing(run: (value: Value) => boolean): BuiltIn {
  return define(1, 1, run);
}

/** A number that may be used as a length or position. */
function count(value: Value): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? Math.max(value, 0) : undefined;
}

function roundHalfAwayFromZero(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

function contains(array: Value, wanted: Value, partial: Value = false): Value {
  if (!Array.isArray(array) || wanted === undefined) return undefined;
  if (partial !== true || !isJsonObject(wanted)) return array.some((item) => deepEqual(item, wanted));
  return array.some((item) => {
    if (!isJsonObject(item)) return false;
    return Object.entries(wanted).every(([name, value]) => {
      const found = propertyOf(item, name);
      return found !== undefined && deepEqual(found, value);
    });
  });
}

function slice(array: Value, start: Value, length: Value): Value {
  if (!Array.isArray(array) || typeof start !== 'number') return undefined;
  const from = start < 0 ? Math.max(array.length + start, 0) : start;
  if (length === undefined) return array.slice(from);
  const size = count(length);
  return size === undefined ? undefined : array.slice(from, from + size);
}

function concatenate(...arrays: readonly Value[]): Value {
  const result: Json[] = [];
  for (const array of arrays) {
    if (!Array.isArray(array)) return undefined;
    result.push(...array);
  }
  return result;
}

function substring(text: Value, start: Value, length: Value): Value {
  const from = count(start);
  const size = count(length);
  if (typeof text !== 'string' || from === undefined || size === undefined) return undefined;
  return text.slice(from, from + size);
}

/** The functions of the query language that the gateway knows, by upper-case name. */
export const BUILT_INS: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
  ['IS_DEFINED', testing((value) => value !== undefined)],
  ['IS_NULL', testing((value) => value === null)],
  ['IS_STRING', testing((value) => typeof value === 'string')],
  ['IS_NUMBER', testing((value) => typeof value === 'number')],
  ['IS_INTEGER', testing((value) => Number.isSafeInteger(value))],
  ['IS_BOOL', testing((value) => typeof value === 'boolean')],
  ['IS_ARRAY', testing((value) => Array.isArray(value))],
  ['IS_OBJECT', testing((value) => isJsonObject(value))],
  ['IS_PRIMITIVE', testing((value) => value !== undefined && (value === null || typeof value !== 'object'))],

  ['STARTSWITH', comparing((text, other) => text.startsWith(other))],
  ['ENDSWITH', comparing((text, other) => text.endsWith(other))],
  ['CONTAINS', comparing((text, other) => text.includes(other))],
  ['STRINGEQUALS', comparing((text, other) => text === other)],
  ['LENGTH', ofText((text) => text.length, 1)],
  ['LOWER', ofText((text) => text.toLowerCase(), 1)],
  ['UPPER', ofText((text) => text.toUpperCase(), 1)],
  ['TRIM', ofText((text) => text.trim(), 1)],
  ['LTRIM', ofText((text) => text.trimStart(), 1)],
  ['RTRIM', ofText((text) => text.trimEnd(), 1)],
  ['REVERSE', ofText((text) => [...text].reverse().join(''), 1)],
  ['INDEX_OF', ofText((text, other) => text.indexOf(other), 2)],
  ['SUBSTRING', define(3, 3, substring)],
  ['LEFT', define(2, 2, (text, length) => substring(text, 0, length))],
  [
    'RIGHT',
    define(2, 2, (text, length) => {
      const size = count(length);
      return typeof text === 'string' && size !== undefined ? text.slice(Math.max(text.length - size, 0)) : undefined;
    }),
  ],
  [
    'REPLACE',
    define(3, 3, (text, wanted, by) => {
      if (typeof text !== 'string' || typeof wanted !== 'string' || typeof by !== 'string') return undefined;
      return wanted === '' ? text : text.replaceAll(wanted, () => by);
    }),
  ],
  [
    'CONCAT',
    define(2, Number.POSITIVE_INFINITY, (...parts) => {
      return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined;
    }),
  ],
  [
    'TOSTRING',
    define(1, 1, (value) => {
      if (value === undefined || typeof value === 'string') return value;
      return JSON.stringify(value);
    }),
  ],
  [
    'STRINGTONUMBER',
    define(1, 1, (text) => {
      const number = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
      return Number.isFinite(number) ? number : undefined;
    }),
  ],

  ['ABS', ofNumber(Math.abs)],
  ['FLOOR', ofNumber(Math.floor)],
  ['CEILING', ofNumber(Math.ceil)],
  ['ROUND', ofNumber(roundHalfAwayFromZero)],

  ['ARRAY_CONTAINS', define(2, 3, contains)],
  ['ARRAY_LENGTH', define(1, 1, (array) => (Array.isArray(array) ? array.length : undefined))],
  ['ARRAY_SLICE', define(2, 3, slice)],
  ['ARRAY_CONCAT', define(2, Number.POSITIVE_INFINITY, concatenate)],

  ['GETCURRENTTIMESTAMP', define(0, 0, () => Date.now())],
  ['GETCURRENTDATETIME', define(0, 0, () => new Date().toISOString().replace('Z', '0000Z'))],
]);
