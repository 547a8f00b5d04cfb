import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';

export type JsonObject = { readonly [name: string]: JsonValue };

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * A member that `record` has itself: names come from outside, and `constructor` is inherited. Everything that parsed
 * JSON inherits is a function, but for `__proto__`; telling by that costs less than asking for ownership, for every
 * field of every record.
 */
export function member(record: JsonObject, name: string): JsonValue | undefined {
  const value = record[name];
  if (typeof value !== 'function' && name !== '__proto__') return value;
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** A member that has to be a text where it is there. Throws UnprocessableError (`invalid-envelope`). */
export function textMember(record: JsonObject, name: string): string | null {
  return textOf(member(record, name), name);
}

/** `value` of the member `name`, which has to be a text where it is there. Throws like `textMember`. */
export function textOf(value: JsonValue | undefined, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  // Positions and operations may be told as numbers by a relay; nothing is lost in their digits.
  if (typeof value === 'number') return String(value);
  throw new UnprocessableError('invalid-envelope', `${name} is no text`);
}

/** `object[name] = value`, which for `__proto__` would set the prototype. */
export function setMember(object: { [name: string]: JsonValue }, name: string, value: JsonValue): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
