import { inflateRawSync } from 'node:zlib';
import { UnprocessableError } from '../ingest/reasons.ts';
import { AvroCursor } from './cursor.ts';

const MAGIC = Buffer.from('Obj\u0001', 'latin1');
const SYNC_BYTES = 16;
const NO_SYNC = Buffer.alloc(SYNC_BYTES);

/** What an object container says before its records. */
export interface ContainerHeader {
  readonly schema: string;
  readonly codec: string;
}

/** Some records of a container, decompressed. */
export interface ContainerBlock {
  readonly count: number;
  readonly bytes: Uint8Array;
}

export function isContainer(bytes: Uint8Array): boolean {
  return MAGIC.equals(bytes.subarray(0, MAGIC.length));
}

/**
 * Opens an object container (specification 1.11, "Object Container Files") with the codec `null` or `deflate`. Its blocks
 * come one by one; together they may inflate to `maxBytes`. Throws UnprocessableError (`undecodable`), the blocks too.
 */
export function openContainer(
  bytes: Uint8Array,
  maxBytes: number,
): { readonly header: ContainerHeader; readonly blocks: Generator<ContainerBlock> } {
  const cursor = new AvroCursor(bytes, { position: MAGIC.length });
  const metadata = new Map<string, string>();
  cursor.skipArray(() => metadata.set(cursor.readText(), cursor.readText()));
  const header = { schema: metadata.get('avro.schema') ?? '', codec: metadata.get('avro.codec') ?? 'null' };
  cursor.skip(SYNC_BYTES);
  return { header, blocks: blocksOf(cursor, header.codec, maxBytes) };
}

/** A container with one record: a record of a container as bytes that stand for themselves. */
export function containerOf(schema: string, record: Uint8Array): Buffer {
  return Buffer.concat([
    MAGIC,
    varint(1),
    ...lengthAndBytes(Buffer.from('avro.schema')),
    ...lengthAndBytes(Buffer.from(schema)),
    varint(0),
    NO_SYNC,
    varint(1),
    ...lengthAndBytes(record),
    NO_SYNC,
  ]);
}

function* blocksOf(cursor: AvroCursor, codec: string, maxBytes: number): Generator<ContainerBlock> {
  let left = maxBytes;
  while (!cursor.atEnd) {
    const count = cursor.readNumber();
    const bytes = decompressed(cursor.readBytes(), codec, left);
    left -= bytes.byteLength;
    cursor.skip(SYNC_BYTES);
    if (count < 0 || count > bytes.byteLength)
      throw new UnprocessableError('undecodable', 'Avro container: a count is out of range');
    yield { count, bytes };
  }
}

function decompressed(block: Uint8Array, codec: string, maxBytes: number): Uint8Array {
  if (codec === 'null') return block;
  if (codec !== 'deflate')
    throw new UnprocessableError('undecodable', 'Avro container: only the codecs null and deflate are read');
  try {
    return inflateRawSync(block, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (cause) {
    throw new UnprocessableError('undecodable', 'Avro container: a block does not inflate, or to too much', { cause });
  }
}

function lengthAndBytes(bytes: Uint8Array): [Buffer, Uint8Array] {
  return [varint(bytes.byteLength), bytes];
}

/** A number of at least 0 as Avro writes it. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value * 2;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
