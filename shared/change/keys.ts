import { createHash } from 'node:crypto';

/** Longer ids become a hash: ids stay readable and far from the service's limit of 1,023 bytes. */
const MAX_ID_CHARACTERS = 200;

/** Stands for SQL NULL. No encoded text holds a `%` that two hexadecimal digits do not follow. */
const NULL_PART = '%null';
const EMPTY_PART = '%empty';
const HASH_MARK = '%hash';

/**
 * The service refuses `/ \ # ?` in ids and trips over a blank at either end; `%` and `,` are ours; control characters
 * and lone surrogates have no safe form in a URL.
 */
const UNSAFE = /[\p{Cc}\p{Cs}/\\#?%,]|^ | $/gu;

/** Most keys: nothing in them needs a thought. */
const PLAIN = /^[\w.:+-]+$/;

/**
 * The id of a row: its key parts, in key order, as canonical texts of their values (by declared type: `600` and `"600"`
 * of an integer column are one text), percent-encoded where Cosmos DB or the join needs it and joined by `,`. Two
 * different lists of parts never share an id. `null` is SQL NULL.
 */
export function rowId(parts: readonly (string | null)[]): string {
  const [only] = parts;
  const id = parts.length === 1 && only !== undefined ? encodePart(only) : parts.map(encodePart).join(',');
  if (id.length > MAX_ID_CHARACTERS) return HASH_MARK + createHash('sha256').update(id).digest('hex');
  // The SDK's URL handling turns an id of `.` or `..` into the path of the container itself.
  return id === '.' || id === '..' ? id.replaceAll('.', '%2E') : id;
}

/** The `key` of a change that has no row: `-` and two digits of its identity's hash, so that no partition fills up. */
export function unkeyedKey(identity: string): string {
  return `-${createHash('sha256').update(identity).digest('hex').slice(0, 2)}`;
}

/** The id of a `changes` document: a hash of the change's identity, in characters that every id may have. */
export function changeId(identity: string): string {
  return createHash('sha256').update(identity).digest('base64url');
}

function encodePart(part: string | null): string {
  if (part === null) return NULL_PART;
  if (PLAIN.test(part)) return part;
  if (part === '') return EMPTY_PART;
  return part.replace(UNSAFE, percentEncode);
}

function percentEncode(character: string): string {
  const code = character.charCodeAt(0);
  // A lone surrogate has no UTF-8 form; its code unit stands in, marked so that it equals no encoded text.
  if (code >= 0xd800 && code <= 0xdfff) return `%u${code.toString(16).toUpperCase()}`;
  return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
}
