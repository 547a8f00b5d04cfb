/**
 * `changeMask` and `columnMask`. In JSON a mask is an ordinary hexadecimal number whose bit i, counted from the least
 * significant, stands for the column with ordinal i + 1; leading zeros carry no meaning. ("Little-endian" in Qlik's
 * documentation means just that. A real message with 16 columns settles it: see the tests.) In Avro a mask is bytes, and
 * nothing that is published says in which order.
 *
 * Masks are not what they seem in some deliveries: columns are added on the way, or the mask counts by another table
 * version. Hence the self-check: the mask of the columns that a message has must have the bit of each column that is
 * not null. A mask that fails it says nothing.
 */
const HEX = /^[0-9A-Fa-f]+$/;

/** A mask as hexadecimal digits, most significant first; undefined where `sent` is none. Null and empty are no mask. */
export function readMask(sent: unknown): string | undefined {
  return typeof sent === 'string' && HEX.test(sent) ? sent : undefined;
}

/** Whether the bit of the column with this ordinal, counted from 1, is set. */
export function isMarked(mask: string, ordinal: number): boolean {
  const bit = ordinal - 1;
  const digit = mask.charCodeAt(mask.length - 1 - (bit >>> 2));
  // Past the most significant digit: NaN.
  return ((nibble(digit) >>> (bit & 3)) & 1) === 1;
}

/** The ordinals whose bits are set, ascending. */
export function markedOrdinals(mask: string): number[] {
  const ordinals: number[] = [];
  for (let ordinal = 1; ordinal <= mask.length * 4; ordinal++) if (isMarked(mask, ordinal)) ordinals.push(ordinal);
  return ordinals;
}

/** The same bytes in the other order; undefined for an odd number of digits. */
export function reversedBytes(mask: string): string | undefined {
  if (mask.length % 2 === 1) return undefined;
  return Buffer.from(mask, 'hex').reverse().toString('hex').toUpperCase();
}

function nibble(code: number): number {
  // '0' to '9' are 0x30 to 0x39; letters of both cases have their value minus 9 in the low four bits.
  return code > 0x39 ? (code & 0xf) + 9 : code & 0xf;
}
