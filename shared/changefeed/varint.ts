/** A zigzag varint of 64 bits takes at most this many bytes. The service pads block counts and sizes to all of them. */
const MAX_VARINT_BYTES = 10;

export interface Varint {
  readonly value: number;
  /** Position after it. */
  readonly end: number;
}

/**
 * Reads Avro's `long` at `position`, minimal or padded. Undefined when `bytes` ends before it does.
 * Throws RangeError for one that is longer than a long can be or does not fit a safe integer.
 */
export function readVarint(bytes: Uint8Array, position: number): Varint | undefined {
  let zigzag = 0;
  let scale = 1;
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = bytes[position + index];
    if (byte === undefined) return undefined;
    zigzag += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte < 0x80) {
      if (zigzag > Number.MAX_SAFE_INTEGER) throw new RangeError('a number is too large');
      const half = Math.floor(zigzag / 2);
      return { value: zigzag % 2 === 0 ? half : -half - 1, end: position + index + 1 };
    }
  }
  throw new RangeError('a number does not end');
}

/** A natural number as Avro's `long`. */
export function varintOf(value: number): Buffer {
  const bytes: number[] = [];
  let zigzag = value * 2;
  for (; zigzag >= 0x80; zigzag = Math.floor(zigzag / 128)) bytes.push((zigzag % 128) | 0x80);
  return Buffer.from([...bytes, zigzag]);
}
