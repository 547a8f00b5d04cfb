import { isUtf8 } from 'node:buffer';
import { UnprocessableError } from '../ingest/reasons.ts';

interface CursorOptions {
  readonly position?: number;
  readonly checksTexts?: boolean;
}

const START: CursorOptions = {};

/** A zigzag number of 64 bits takes at most this many bytes. */
const MAX_VARINT_BYTES = 10;

/**
 * Walks over Avro bytes with every bound checked. The decoder that builds the objects trusts the counts and lengths in
 * the bytes; a few hostile bytes could make it loop for minutes or fill the memory. What was walked here first cannot.
 */
export class AvroCursor {
  readonly bytes: Uint8Array;
  /** Whether texts are checked to be valid UTF-8 on the way. */
  readonly checksTexts: boolean;
  position: number;

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
    else if (!isUtf8(this.readBytes())) throw new UnprocessableError('undecodable', 'Avro: a text is not valid UTF-8');
  }

  /** Calls `skipItem` for each item of an array; every item must take at least one byte. */
  skipArray(skipItem: (cursor: AvroCursor) => void): void {
    for (let count = this.readNumber(); count !== 0; count = this.readNumber()) {
      if (count < 0) this.readNumber();
      for (let left = Math.abs(count); left > 0; left--) skipItem(this);
    }
  }
}

function truncated(): UnprocessableError {
  return new UnprocessableError('undecodable', 'Avro: the bytes end early, or a length is wrong');
}

/** The same bytes as a Buffer, which the Avro library wants; a new view takes as long as reading several values. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
