/** A JSON value. Absence ("undefined" in the query language) is `undefined`, outside this type. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [name: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property, or `undefined`: inherited names such as `constructor` are just names in a document. */
export function propertyOf(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** An object on which every name, `__proto__` included, is an ordinary property. */
export function emptyObject(): JsonObject {
  return Object.create(null);
}

export function deepEqual(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => {
      const other = right[index];
      return other !== undefined && deepEqual(item, other);
    });
  }
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    const mine = propertyOf(left, name);
    const theirs = propertyOf(right, name);
    return mine !== undefined && theirs !== undefined && deepEqual(mine, theirs);
  });
}

/** JSON text with sorted property names: equal values have equal texts. */
export function canonicalText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] ?? null)}`);
  return `{${members.join(',')}}`;
}
