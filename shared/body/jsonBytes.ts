/** The bytes that JSON's grammar, and the framings around it, are made of. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const COLON = 0x3a;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const PLUS = 0x2b;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const BLANK = 0x20;
export const LINE_FEED = 0x0a;
/** Precedes each record of a JSON text sequence (RFC 7464). */
export const RECORD_SEPARATOR = 0x1e;
/** The three bytes of a byte order mark; none of them starts anything in JSON. */
export const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

export function isBlank(byte: number | undefined): boolean {
  return byte === BLANK || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}
