import { isUtf8 } from 'node:buffer';
import { UnprocessableError } from '../ingest/reasons.ts';

interface CursorOptions {
  readonly position?: number;
  readonly checksTexts?: boolean;
}

const START: CursorOptions = {};

/** A zigzag number of 64 bits takes at most this many bytes. */
const MAX_VARINT_BYTES = 10;
/** Numbers of so many bytes are below 2^53 whatever their bits. */
const MAX_INTEGER_BYTES = 6;
/** For so few bytes a call into the engine's own conversion costs more than the conversion. */
const MAX_SHORT_BYTES = 24;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, '0'));
const FLOAT_BYTES = 4;
const DOUBLE_BYTES = 8;

/** U+FFFD: what decoding puts in place of bytes that are no UTF-8. */
const REPLACEMENT = '\ufffd';

/**
 * Walks over Avro bytes with every bound checked. The decoder that builds the objects trusts the counts and lengths in
 * the bytes; a few hostile bytes could make it loop for minutes or fill the memory. What was walked here first cannot.
 */
export class AvroCursor {
  readonly bytes: Uint8Array;
  /** Whether texts are checked to be valid UTF-8 on the way. */
  readonly checksTexts: boolean;
  position: number;
  #buffer: Buffer | undefined;
  /** Whether the last byte read by `#readGroups` ended its number. */
  #isLast = true;

  constructor(bytes: Uint8Array, { position = 0, checksTexts = false }: CursorOptions = START) {
    this.bytes = bytes;
    this.position = position;
    this.checksTexts = checksTexts;
  }

  get atEnd(): boolean {
    return this.position === this.bytes.length;
  }

  /** A number as Avro writes `int` and `long`; throws UnprocessableError where it passes 2^53 or the end. */
  readNumber(): number {
    const first = this.bytes[this.position++];
    if (first === undefined) throw truncated();
    if (first < 0x80) return (first >>> 1) ^ -(first & 1);
    let raw = first & 0x7f;
    let scale = 128;
    for (let count = 1; count < MAX_VARINT_BYTES; count++) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) throw truncated();
      raw += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        const value = raw % 2 === 1 ? -(raw + 1) / 2 : raw / 2;
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
      scale *= 128;
    }
    throw new UnprocessableError('undecodable', 'Avro: a number is out of range');
  }

  /** A number as Avro writes `long`: exact, as a bigint where a double could not hold it. */
  readLong(): number | bigint {
    const start = this.position;
    const low = this.#readGroups();
    if (this.#isLast) return (low >>> 1) ^ -(low & 1);
    const middle = this.#readGroups();
    const high = this.#isLast ? 0 : this.#readGroups();
    if (!this.#isLast || this.position - start > MAX_VARINT_BYTES)
      throw new UnprocessableError('undecodable', 'Avro: a number is out of range');
    // Halved, a zigzag number is the value, or one less than its negative.
    const half = (low >>> 1) + middle * 2 ** 27 + high * 2 ** 55;
    if (half < Number.MAX_SAFE_INTEGER) return (low & 1) === 0 ? half : -half - 1;
    const exact = BigInt.asUintN(63, BigInt(low >>> 1) + (BigInt(middle) << 27n) + (BigInt(high) << 55n));
    return (low & 1) === 0 ? exact : -exact - 1n;
  }

  /** Up to four groups of seven bits, least significant first. */
  #readGroups(): number {
    let bits = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) throw truncated();
      bits |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.#isLast = true;
        return bits;
      }
    }
    this.#isLast = false;
    return bits;
  }

  /** A `string` value; throws UnprocessableError where it is not valid UTF-8. */
  readText(length = this.readNumber()): string {
    const start = this.position;
    this.skip(length);
    if (length === 0) return '';
    this.#buffer ??= asBuffer(this.bytes);
    const text = this.#buffer.toString('utf8', start, this.position);
    // Checking each text costs more than reading it; the decoder leaves this mark where it replaced something.
    if (text.includes(REPLACEMENT) && !isUtf8(this.bytes.subarray(start, this.position))) throw notUtf8();
    return text;
  }

  /** Whether the bytes that follow are the first `length` ones of `expected`. */
  isAt(expected: Uint8Array, length = expected.length): boolean {
    const { bytes, position } = this;
    if (position + length > bytes.length) return false;
    // From the end: numbers and times that follow each other differ there.
    for (let at = length - 1; at >= 0; at--) if (bytes[position + at] !== expected[at]) return false;
    return true;
  }

  /** `length` bytes as upper-case hexadecimal digits. */
  readHex(length: number): string {
    const start = this.position;
    this.skip(length);
    if (length > MAX_SHORT_BYTES) {
      this.#buffer ??= asBuffer(this.bytes);
      return this.#buffer.toString('hex', start, this.position).toUpperCase();
    }
    let digits = '';
    for (let at = start; at < this.position; at++) digits += HEX[this.bytes[at] ?? 0];
    return digits;
  }

  /** `length` bytes as a big-endian number in two's complement. */
  readTwosComplement(length: number): number | bigint {
    if (length > MAX_INTEGER_BYTES) return BigInt.asIntN(length * 8, BigInt(`0x${this.readHex(length)}`));
    const start = this.position;
    this.skip(length);
    if (length === 0) return 0;
    let value = ((this.bytes[start] ?? 0) << 24) >> 24;
    for (let at = start + 1; at < this.position; at++) value = value * 256 + (this.bytes[at] ?? 0);
    return value;
  }

  readBoolean(): boolean {
    const byte = this.bytes[this.position++];
    if (byte === undefined || byte > 1) throw truncated();
    return byte === 1;
  }

  readFloat(): number {
    return this.#view(FLOAT_BYTES).readFloatLE(this.position - FLOAT_BYTES);
  }

  readDouble(): number {
    return this.#view(DOUBLE_BYTES).readDoubleLE(this.position - DOUBLE_BYTES);
  }

  #view(length: number): Buffer {
    this.skip(length);
    this.#buffer ??= asBuffer(this.bytes);
    return this.#buffer;
  }

  /** The bytes of a `bytes` or `string` value, as a view. */
  readBytes(): Uint8Array {
    const length = this.readNumber();
    const start = this.position;
    this.skip(length);
    return this.bytes.subarray(start, this.position);
  }

  skip(length: number): void {
    if (length < 0 || length > this.bytes.length - this.position) throw truncated();
    this.position += length;
  }

  /** Throws UnprocessableError where bytes are left over. */
  expectEnd(): void {
    if (!this.atEnd) throw new UnprocessableError('undecodable', 'Avro: bytes are left over after the record');
  }

  skipText(): void {
    if (!this.checksTexts) this.skip(this.readNumber());
    else if (!isUtf8(this.readBytes())) throw notUtf8();
  }

  /** Calls `skipItem` for each item of an array; every item must take at least one byte. */
  skipArray(skipItem: (cursor: AvroCursor) => void): void {
    for (let count = this.readNumber(); count !== 0; count = this.readNumber()) {
      if (count < 0) this.readNumber();
      for (let left = Math.abs(count); left > 0; left--) skipItem(this);
    }
  }
}

function notUtf8(): UnprocessableError {
  return new UnprocessableError('undecodable', 'Avro: a text is not valid UTF-8');
}

function truncated(): UnprocessableError {
  return new UnprocessableError('undecodable', 'Avro: the bytes end early, or a length is wrong');
}

/** The same bytes as a Buffer, which the Avro library wants; a new view takes as long as reading several values. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
