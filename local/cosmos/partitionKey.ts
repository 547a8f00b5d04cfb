import { badRequest, PARTITION_KEY_MISMATCH } from './errors.ts';
import { isJsonObject, type Json, type JsonObject, propertyOf } from './json.ts';

/** One level of a partition key; `undefined` is the "none" component of a document without the property. */
export type KeyComponent = string | number | boolean | null | undefined;

/** A key as it is stored: one text per level, so that levels and types never mix. */
export type EncodedKey = readonly string[];

/** `/a/"b c"/d` -> `['a', 'b c', 'd']`. @throws {CosmosError} 400 for a path that does not begin with a slash */
export function parseKeyPath(path: string): string[] {
  const parts: string[] = [];
  const pattern = /\/(?:"((?:[^"\\]|\\.)*)"|([^/"]+))/gy;
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (match === null) throw badRequest(`The partition key path '${path}' is invalid.`);
    parts.push(match[1]?.replaceAll(/\\(.)/g, '$1') ?? match[2] ?? '');
  }
  if (parts.length === 0) throw badRequest(`The partition key path '${path}' is invalid.`);
  return parts;
}

export function encodeComponent(value: KeyComponent): string {
  if (value === undefined) return 'u';
  if (value === null) return 'n';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return typeof value === 'number' ? `#${value}` : `$${value}`;
}

/** Reads a key as clients send it, a JSON array. @throws {CosmosError} 400 */
export function parseKey(text: string): EncodedKey {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badRequest(`The partition key is not JSON: ${text}`, { cause });
  }
  if (!Array.isArray(value)) throw badRequest(`The partition key is not a JSON array: ${text}`);
  return value.map((component: unknown) => {
    if (component === null || ['string', 'number', 'boolean'].includes(typeof component)) {
      return encodeComponent(component as KeyComponent);
    }
    if (isJsonObject(component) && Object.keys(component).length === 0) return encodeComponent(undefined);
    throw badRequest(`The partition key has a component that is no string, number, boolean or null: ${text}`);
  });
}

/** Reads a key that must name every level. @throws {CosmosError} 400 when levels are missing or too many */
export function parseFullKey(text: string | undefined, levels: number): EncodedKey {
  if (text === undefined) throw badRequest('PartitionKey value must be supplied for this operation.');
  const key = parseKey(text);
  if (key.length !== levels) {
    throw badRequest(
      'Partition key provided either doesn\u2019t correspond to definition in the collection or doesn\u2019t match partition key field values specified in the document.',
      {
        substatus: PARTITION_KEY_MISMATCH,
      },
    );
  }
  return key;
}

/** The key of a document. @throws {CosmosError} 400 where a level is an object or an array */
export function keyOfDocument(document: JsonObject, paths: readonly (readonly string[])[]): EncodedKey {
  return paths.map((path) => {
    let value: Json | undefined = document;
    for (const name of path) value = isJsonObject(value) ? propertyOf(value, name) : undefined;
    if (typeof value === 'object' && value !== null) {
      throw badRequest(`The partition key property /${path.join('/')} is an object or an array.`);
    }
    return encodeComponent(value);
  });
}

/** @throws {CosmosError} 400 with sub status 1001 */
export function assertSameKey(given: EncodedKey, ofDocument: EncodedKey): void {
  if (given.length === ofDocument.length && given.every((component, level) => component === ofDocument[level])) return;
  throw badRequest("PartitionKey extracted from document doesn't match the one specified in the header.", {
    substatus: PARTITION_KEY_MISMATCH,
  });
}
