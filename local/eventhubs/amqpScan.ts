/**
 * Walks AMQP 1.0 encoded values without decoding them (AMQP 1.0 part 1, section 1.6). The broker keeps events as the bytes that were
 * sent, and a consumer's library decodes them: bytes that do not decode would break every consumer of the partition, so a value is
 * checked to its innermost element before it is stored.
 */

/** Thrown for bytes that are not one well-formed AMQP value or message. */
export class AmqpDecodeError extends Error {
  override readonly name = 'AmqpDecodeError';
}

/** Deeper nesting would exhaust the stack of a recursive decoder. */
const MAX_NESTING = 32;

const DESCRIBED = 0x00;

const KNOWN_TYPE_CODES = new Set([
  0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x60, 0x61, 0x70, 0x71, 0x72, 0x73,
  0x74, 0x80, 0x81, 0x82, 0x83, 0x84, 0x94, 0x98, 0xa0, 0xa1, 0xa3, 0xb0, 0xb1, 0xb3, 0xc0, 0xc1, 0xd0, 0xd1, 0xe0,
  0xf0,
]);

const MAP8 = 0xc1;
const MAP32 = 0xd1;

/** Width in bytes of a fixed value, by the high half of its type code. */
const FIXED_WIDTHS: ReadonlyMap<number, number> = new Map([
  [0x4, 0],
  [0x5, 1],
  [0x6, 2],
  [0x7, 4],
  [0x8, 8],
  [0x9, 16],
]);

function byteAt(bytes: Buffer, position: number): number {
  const value = bytes[position];
  if (value === undefined) {
    throw new AmqpDecodeError('the value ends too early');
  }
  return value;
}

function sizeAt(bytes: Buffer, position: number, width: 1 | 4): number {
  if (width === 1) {
    return byteAt(bytes, position);
  }
  if (position + 4 > bytes.length) {
    throw new AmqpDecodeError('the value ends too early');
  }
  return bytes.readUInt32BE(position);
}

function within(bytes: Buffer, end: number): number {
  if (end > bytes.length) {
    throw new AmqpDecodeError('the value ends too early');
  }
  return end;
}

/** Where the elements of a list, map or array begin and end, and how many there are. */
interface Compound {
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

function compoundAt(bytes: Buffer, position: number, width: 1 | 4): Compound {
  const end = within(bytes, position + width + sizeAt(bytes, position, width));
  const count = sizeAt(bytes, position + width, width);
  const start = position + 2 * width;
  if (start > end) {
    throw new AmqpDecodeError('a compound value is shorter than its count');
  }
  return { start, end, count };
}

function skipItems(bytes: Buffer, compound: Compound, nesting: number): number {
  let position = compound.start;
  for (let index = 0; index < compound.count; index += 1) {
    position = skipValue(bytes, position, nesting + 1);
  }
  if (position !== compound.end) {
    throw new AmqpDecodeError('a compound value does not end where its size says');
  }
  return position;
}

function skipArray(bytes: Buffer, compound: Compound, nesting: number): number {
  // Elements of some types take no bytes at all: a few bytes could then stand for billions of elements.
  if (compound.count > compound.end - compound.start) {
    throw new AmqpDecodeError('an array has more elements than bytes');
  }
  let position = compound.start;
  if (byteAt(bytes, position) === DESCRIBED) {
    position = skipValue(bytes, position + 1, nesting + 1);
  }
  const code = byteAt(bytes, position);
  position += 1;
  for (let index = 0; index < compound.count; index += 1) {
    position = skipContent(bytes, code, position, nesting + 1);
  }
  if (position !== compound.end) {
    throw new AmqpDecodeError('an array does not end where its size says');
  }
  return position;
}

function skipContent(bytes: Buffer, code: number, position: number, nesting: number): number {
  if (!KNOWN_TYPE_CODES.has(code)) {
    throw new AmqpDecodeError(`unknown type code 0x${code.toString(16)}`);
  }
  const fixed = FIXED_WIDTHS.get(code >>> 4);
  if (fixed !== undefined) {
    return within(bytes, position + fixed);
  }
  const width = (code & 0x10) === 0 && code >>> 4 !== 0xb ? 1 : 4;
  switch (code >>> 4) {
    case 0xa:
    case 0xb:
      return within(bytes, position + width + sizeAt(bytes, position, width));
    case 0xc:
    case 0xd:
      return skipItems(bytes, compoundAt(bytes, position, width), nesting);
    default:
      return skipArray(bytes, compoundAt(bytes, position, width), nesting);
  }
}

/**
 * Returns the position after the value that begins at `position`.
 * @throws AmqpDecodeError when the bytes there are not a well-formed value.
 */
export function skipValue(bytes: Buffer, position: number, nesting = 0): number {
  if (nesting > MAX_NESTING) {
    throw new AmqpDecodeError(`values are nested more than ${MAX_NESTING} deep`);
  }
  const code = byteAt(bytes, position);
  if (code === DESCRIBED) {
    return skipValue(bytes, skipValue(bytes, position + 1, nesting + 1), nesting + 1);
  }
  return skipContent(bytes, code, position + 1, nesting);
}

/** One entry of a map, as positions in the bytes that hold it. */
export interface MapEntry {
  readonly keyStart: number;
  readonly valueStart: number;
  readonly end: number;
}

/**
 * Lists the entries of the map that begins at `position`.
 * @throws AmqpDecodeError when there is no well-formed map.
 */
export function mapEntries(bytes: Buffer, position: number): MapEntry[] {
  const code = byteAt(bytes, position);
  if (code !== MAP8 && code !== MAP32) {
    throw new AmqpDecodeError('a map was expected');
  }
  const compound = compoundAt(bytes, position + 1, code === MAP8 ? 1 : 4);
  if (compound.count % 2 !== 0) {
    throw new AmqpDecodeError('a map has a key without a value');
  }
  const entries: MapEntry[] = [];
  let keyStart = compound.start;
  for (let index = 0; index < compound.count; index += 2) {
    const valueStart = skipValue(bytes, keyStart);
    const end = skipValue(bytes, valueStart);
    entries.push({ keyStart, valueStart, end });
    keyStart = end;
  }
  return entries;
}

/** The text of a string or symbol at `position`, or undefined when another type is there. */
export function textAt(bytes: Buffer, position: number): string | undefined {
  const code = byteAt(bytes, position);
  if (code !== 0xa1 && code !== 0xa3 && code !== 0xb1 && code !== 0xb3) {
    return undefined;
  }
  const width = code >>> 4 === 0xa ? 1 : 4;
  const start = position + 1 + width;
  return bytes.toString('utf8', start, within(bytes, start + sizeAt(bytes, position + 1, width)));
}

/** The content of a binary value at `position`, sharing its memory, or undefined when another type is there. */
export function binaryAt(bytes: Buffer, position: number): Buffer | undefined {
  const code = byteAt(bytes, position);
  if (code !== 0xa0 && code !== 0xb0) {
    return undefined;
  }
  const width = code === 0xa0 ? 1 : 4;
  const start = position + 1 + width;
  return bytes.subarray(start, within(bytes, start + sizeAt(bytes, position + 1, width)));
}
