import type { JsonValue } from './json.ts';

/**
 * Exact numbers. JavaScript rounds a number that a double cannot hold; a rounded key or amount is a lost one. So a
 * number stays a number only if the nearest double prints the same decimal value (`125.50` is the number 125.5), and
 * otherwise becomes a string of its digits as sent.
 */

/** Most decimal digits that any double keeps: shorter numbers of ordinary size need no check. */
const SAFE_DIGITS = 15;

/** Finds texts that may hold a number that a double cannot hold; what it finds inside a string costs time, not truth. */
const RISKY_NUMBER = new RegExp(`\\d[\\d.]{${SAFE_DIGITS},}|\\d[eE][+-]?\\d{3,}`);

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

declare global {
  interface JSON {
    /** The reviver's third argument (ECMAScript, "JSON.parse source text access") is not in the library types yet. */
    parse(
      text: string,
      reviver: (name: string, value: JsonValue, context: { readonly source?: string }) => JsonValue,
    ): JsonValue;
  }
}

/** A decimal number taken apart: `digits` without leading or trailing zeros, times ten to the `exponent`. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** Whole numbers of more digits than any double prints (17), told at a glance. */
const LONG_INTEGER = /^-?[1-9]\d{16,}[1-9]$/;

/** The number that `text` writes, or `text` itself where a double would change its value. `text` must be a decimal number. */
export function exactNumber(text: string): number | string {
  if (text.length > SAFE_DIGITS && LONG_INTEGER.test(text)) return text;
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  if (text.length <= SAFE_DIGITS && !/[eE]/.test(text)) return number;
  return sameDecimal(text, String(number)) ? number : text;
}

/** Whether two decimal texts write the same value, whatever their zeros and exponents. */
export function sameDecimal(a: string, b: string): boolean {
  const left = parseDecimal(a);
  const right = parseDecimal(b);
  if (left === undefined || right === undefined) return false;
  if (left.digits !== right.digits) return false;
  return left.digits === '' || (left.exponent === right.exponent && left.negative === right.negative);
}

/** `text` is a decimal number as SQL and JSON write them: optional sign, digits, fraction, exponent. */
export function isDecimal(text: string): boolean {
  return parseDecimal(text) !== undefined;
}

/**
 * `text` without the spellings that mean nothing: `+`, leading zeros, zeros that end a fraction, exponents. For keys:
 * one value has one text. Returns undefined when `text` is not a decimal number, or its plain form would have more than
 * a thousand digits.
 */
export function canonicalDecimal(text: string): string | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return undefined;
  const { negative, digits, exponent } = decimal;
  if (digits === '') return '0';
  if (Math.abs(exponent) > 1000) return undefined;
  const sign = negative ? '-' : '';
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent);
  const padded = digits.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/**
 * `JSON.parse` that changes no number: one that a double cannot hold comes as a string of its digits.
 * Throws SyntaxError, as `JSON.parse` does, and RangeError when the text nests too deep for the engine.
 */
export function parseExactJson(text: string): JsonValue {
  return RISKY_NUMBER.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text);
}

function keepExact(_name: string, value: JsonValue, context: { readonly source?: string }): JsonValue {
  return typeof value === 'number' && context.source !== undefined ? exactNumber(context.source) : value;
}

function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, integer = '', fraction = '', exponent = '0'] = match;
  if (integer === '' && fraction === '') return undefined;
  const all = `${integer}${fraction}`;
  let start = 0;
  while (all[start] === '0') start++;
  let end = all.length;
  while (end > start && all[end - 1] === '0') end--;
  return {
    negative: sign === '-',
    digits: all.slice(start, end),
    exponent: Number(exponent) - fraction.length + (all.length - end),
  };
}
