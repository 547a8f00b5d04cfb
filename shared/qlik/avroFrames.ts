import { containerOf, isContainer, openContainer } from '../avro/container.ts';
import { AvroCursor, asBuffer } from '../avro/cursor.ts';
import { parseAvroSchema } from '../avro/schema.ts';
import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { readerOf } from './avroReader.ts';
import { remembering } from './remembering.ts';
import { MAGIC } from './shapes.ts';

/**
 * How Avro messages stand in a body. The first bytes tell:
 * - `atMSG`: Replicate's envelope. `fixed` has no length before it, so an Avro envelope begins with its magic. Several may
 *   follow each other.
 * - `Obj` 01: an object container.
 * - `00` and a number of four bytes: a message framed by a Confluent schema registry, the number its schema.
 * - a length of four bytes, most significant first, and one of the others: several messages, each after its length.
 */
export type AvroFrame = EnvelopeFrame | RegisteredFrame | RecordFrame;

export interface EnvelopeFrame {
  readonly kind: 'envelope';
  readonly type: string;
  readonly schemaId: string | null;
  readonly messageSchema: string | null;
  readonly message: Uint8Array;
}

export interface RegisteredFrame {
  readonly kind: 'registered';
  readonly registryId: number;
  readonly payload: Uint8Array;
}

export interface RecordFrame {
  readonly kind: 'record';
  readonly value: JsonValue;
}

export interface AvroPart {
  /** The message with what is needed to read it again. */
  readonly bytes: Uint8Array;
  readonly content: AvroFrame | UnprocessableError;
}

const ENVELOPE_MAGIC = Buffer.from(MAGIC, 'latin1');
const REGISTRY_MARK = 0;
const REGISTRY_HEAD_BYTES = 5;
const LENGTH_BYTES = 4;

const readType = remembering((cursor, length) => cursor.readText(length));
const readSchemaId = remembering((cursor, length) => cursor.readText(length));

/** No JSON text begins as one of these does. */
export function isAvroBody(body: Uint8Array): boolean {
  return startsEnvelope(body) || isContainer(body) || body[0] === REGISTRY_MARK || isDelimited(asBuffer(body));
}

/** The messages of a body that `isAvroBody` recognised. `maxBytes` limits what a compressed container may become. */
export function* splitAvroBody(body: Uint8Array, maxBytes: number): Generator<AvroPart> {
  const buffer = asBuffer(body);
  if (isDelimited(buffer)) yield* delimitedParts(buffer, maxBytes);
  else yield* plainParts(buffer, maxBytes);
}

function* delimitedParts(buffer: Buffer, maxBytes: number): Generator<AvroPart> {
  for (let at = 0; at < buffer.length; ) {
    const start = at + LENGTH_BYTES;
    const length = start <= buffer.length ? buffer.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    at = start + length;
    if (at > buffer.length) yield bad(buffer.subarray(start), 'the body ends before its last message does');
    else yield* plainParts(buffer.subarray(start, at), maxBytes);
  }
}

function* plainParts(buffer: Buffer, maxBytes: number): Generator<AvroPart> {
  if (isContainer(buffer)) yield* containerParts(buffer, maxBytes);
  else if (startsEnvelope(buffer)) yield* envelopeParts(buffer);
  else if (buffer[0] === REGISTRY_MARK && buffer.length > REGISTRY_HEAD_BYTES) {
    const payload = buffer.subarray(REGISTRY_HEAD_BYTES);
    yield { bytes: buffer, content: { kind: 'registered', registryId: buffer.readUInt32BE(1), payload } };
  } else yield bad(buffer, 'the bytes are neither an envelope, nor framed by a schema registry, nor a container');
}

function* envelopeParts(buffer: Buffer): Generator<AvroPart> {
  const cursor = new AvroCursor(buffer);
  while (!cursor.atEnd) {
    const start = cursor.position;
    let part: AvroPart;
    try {
      const content = readEnvelope(cursor);
      part = { bytes: buffer.subarray(start, cursor.position), content };
    } catch (error) {
      yield { bytes: buffer.subarray(start), content: unprocessable(error) };
      return;
    }
    yield part;
  }
}

function readEnvelope(cursor: AvroCursor): EnvelopeFrame {
  if (!cursor.isAt(ENVELOPE_MAGIC))
    throw new UnprocessableError('undecodable', 'Avro: bytes are left over after an envelope');
  cursor.skip(ENVELOPE_MAGIC.length);
  const type = readType(cursor);
  if (isPresent(cursor)) {
    cursor.skipArray(() => {
      cursor.skipText();
      cursor.skipText();
    });
  }
  const schemaId = isPresent(cursor) ? readSchemaId(cursor) : null;
  const messageSchema = isPresent(cursor) ? cursor.readText() : null;
  return { kind: 'envelope', type, schemaId: schemaId || null, messageSchema, message: cursor.readBytes() };
}

/** Reads which branch of `[null, something]` follows. */
function isPresent(cursor: AvroCursor): boolean {
  const branch = cursor.readNumber();
  if (branch !== 0 && branch !== 1) throw new UnprocessableError('undecodable', 'Avro: this is no envelope');
  return branch === 1;
}

function* containerParts(buffer: Buffer, maxBytes: number): Generator<AvroPart> {
  try {
    const { header, blocks } = openContainer(buffer, maxBytes);
    const reader = readerOf(parseAvroSchema(header.schema));
    for (const { count, bytes } of blocks) {
      const cursor = new AvroCursor(bytes);
      for (let left = count; left > 0; left--) {
        const start = cursor.position;
        // An envelope in a container has the same bytes as one that stands alone.
        if (cursor.isAt(ENVELOPE_MAGIC)) {
          const content = readEnvelope(cursor);
          yield { bytes: bytes.subarray(start, cursor.position), content };
          continue;
        }
        const value = reader(cursor);
        const record = bytes.subarray(start, cursor.position);
        yield { bytes: containerOf(header.schema, record), content: { kind: 'record', value } };
      }
      cursor.expectEnd();
    }
  } catch (error) {
    yield { bytes: buffer, content: unprocessable(error) };
  }
}

/** Whether the body is a chain of lengths and messages. A chain that is cut off counts if its first message is there. */
function isDelimited(buffer: Buffer): boolean {
  const first = buffer.subarray(LENGTH_BYTES);
  if (startsEnvelope(first) || isContainer(first)) return true;
  if (first[0] !== REGISTRY_MARK) return false;
  let at = 0;
  while (at + LENGTH_BYTES <= buffer.length) {
    const length = buffer.readUInt32BE(at);
    if (length <= REGISTRY_HEAD_BYTES) return false;
    at += LENGTH_BYTES + length;
  }
  return at === buffer.length;
}

function startsEnvelope(bytes: Uint8Array): boolean {
  return ENVELOPE_MAGIC.equals(bytes.subarray(0, ENVELOPE_MAGIC.length));
}

function bad(bytes: Uint8Array, what: string): AvroPart {
  return { bytes, content: new UnprocessableError('undecodable', `Avro: ${what}`) };
}

/** Errors of the decoders are data; anything else is a fault of ours and goes up. */
function unprocessable(error: unknown): UnprocessableError {
  if (error instanceof UnprocessableError) return error;
  throw error;
}
