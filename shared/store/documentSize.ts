/** The service takes documents up to 2 MB of UTF-8 JSON; the rest is room for what it and the request add. */
export const MAX_DOCUMENT_BYTES = 2_000_000;

/** No UTF-16 code unit of a JSON text takes more: a control character is written `\u0000`. */
const MAX_BYTES_PER_CODE_UNIT = 6;
/** Generous for numbers, literals and punctuation. */
const BYTES_PER_VALUE = 32;

/** Whether `document` is over `maxBytes` as JSON. Measures only documents that might be. */
export function isTooLarge(document: object, maxBytes = MAX_DOCUMENT_BYTES): boolean {
  return upperBound(document) > maxBytes && documentBytes(document) > maxBytes;
}

/** Size of `document` as UTF-8 JSON. */
export function documentBytes(document: object): number {
  return Buffer.byteLength(JSON.stringify(document));
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
