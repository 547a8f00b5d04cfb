import { exactNumber } from '../change/exact.ts';
import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';

export type JsonObject = { readonly [name: string]: JsonValue };

/** Values nest no deeper: Cosmos DB ends at 128 levels, and a row adds a few of its own. SQL values do not nest at all. */
export const MAX_VALUE_LEVELS = 100;

/** The digits, as sent, of the numbers in each object of a parsed text. */
export type NumberDigits = WeakMap<object, Map<string, string>>;

/** `JSON.parse`; throws UnprocessableError (`undecodable`) that says what `what` is and quotes nothing. */
export function parseJson(text: string, what: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(what);
  }
}

/**
 * `JSON.parse` that rounds no number and remembers the digits of each: `12.50` in a decimal column has two places. Slower
 * than `parseJson`, and needed only where a text holds values as JSON numbers, which CES does not do today.
 */
export function parseWithDigits(text: string, what: string): { value: JsonValue; digits: NumberDigits } {
  const digits: NumberDigits = new WeakMap();
  function keep(this: object, name: string, value: JsonValue, context: { readonly source?: string }): JsonValue {
    if (typeof value !== 'number' || context.source === undefined) return value;
    const numbers = digits.get(this) ?? new Map<string, string>();
    digits.set(this, numbers.set(name, context.source));
    return exactNumber(context.source);
  }
  try {
    return { value: JSON.parse(text, keep), digits };
  } catch {
    throw notJson(what);
  }
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Throws UnprocessableError (`undecodable`) when `value` nests deeper than any store could keep it. */
export function limitNesting(value: JsonValue, what: string): void {
  for (let level = nestedIn(value), depth = 1; level.length > 0; level = level.flatMap(nestedIn), depth++) {
    if (depth > MAX_VALUE_LEVELS) {
      throw new UnprocessableError('undecodable', `${what} nests deeper than ${MAX_VALUE_LEVELS} levels`);
    }
  }
}

/** Where the first byte is that is no JSON whitespace. */
export function skipBlank(bytes: Uint8Array, from = 0): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at]) at++;
  return at;
}

function nestedIn(value: JsonValue): JsonValue[] {
  const nested: JsonValue[] = [];
  if (typeof value !== 'object' || value === null) return nested;
  // Arrays and parsed objects: nothing is inherited. Listing the values first would cost as much as all else here.
  for (const name in value) {
    const member: JsonValue | undefined = Reflect.get(value, name);
    if (typeof member === 'object' && member !== null) nested.push(member);
  }
  return nested;
}

function notJson(what: string): UnprocessableError {
  // The engine's own message quotes the text, and the text holds row values.
  return new UnprocessableError('undecodable', `${what} is not JSON that can be read`);
}
