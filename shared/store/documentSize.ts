/** The service takes documents up to 2 MB of UTF-8 JSON; the rest is room for what it and the request add. */
export const MAX_DOCUMENT_BYTES = 2_000_000;

/** No UTF-16 code unit of a JSON text takes more: a control character is written `\u0000`. */
const MAX_BYTES_PER_CODE_UNIT = 6;
/** Generous for numbers, literals and punctuation. */
const BYTES_PER_VALUE = 32;

const FIRST_PLAIN = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** What an escape adds to the one byte that the character takes in UTF-8: `\n`, or `\u0000`. */
const SHORT_ESCAPE_EXTRA = 1;
const LONG_ESCAPE_EXTRA = 5;
const SHORT_ESCAPES = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);
/** Half a surrogate pair is written `\ud800`, and counts as the three bytes of U+FFFD in UTF-8. */
const LONE_SURROGATE_EXTRA = 3;
const LONE_SURROGATE = /\p{Cs}/gu;

/** Whether `document` is over `maxBytes` as JSON. Measures only documents that might be. */
export function isTooLarge(document: object, maxBytes = MAX_DOCUMENT_BYTES): boolean {
  return upperBound(document) > maxBytes && jsonBytes(document) > maxBytes;
}

/** Size of `value` as UTF-8 JSON, without making that JSON: a large document is measured several times. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (value === undefined) return 0;
  if (value === null || typeof value !== 'object') return JSON.stringify(value).length;
  const members = Array.isArray(value)
    ? value.map((each) => jsonBytes(each ?? null))
    : Object.entries(value).flatMap(([name, each]) =>
        each === undefined ? [] : textBytes(name) + 1 + jsonBytes(each),
      );
  return members.reduce((sum, bytes) => sum + bytes, 2 + Math.max(0, members.length - 1));
}

function textBytes(text: string): number {
  let bytes = Buffer.byteLength(text) + 2;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || code === BACKSLASH) bytes += SHORT_ESCAPE_EXTRA;
    else if (code < FIRST_PLAIN) bytes += SHORT_ESCAPES.has(code) ? SHORT_ESCAPE_EXTRA : LONG_ESCAPE_EXTRA;
  }
  return text.isWellFormed() ? bytes : bytes + (text.match(LONE_SURROGATE)?.length ?? 0) * LONE_SURROGATE_EXTRA;
}

function upperBound(value: unknown): number {
  if (typeof value === 'string') return value.length * MAX_BYTES_PER_CODE_UNIT + 2;
  if (value === null || typeof value !== 'object') return BYTES_PER_VALUE;
  let bytes = 2;
  for (const [name, member] of Object.entries(value)) {
    bytes += name.length * MAX_BYTES_PER_CODE_UNIT + BYTES_PER_VALUE + upperBound(member);
  }
  return bytes;
}
