import { inflateRawSync } from 'node:zlib';
import avro, { type Schema, type Type } from 'avsc';
import { z } from 'zod';
import { AvroCursor, asBuffer } from '../avro/cursor.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { LONG_TYPE } from './avroTypes.ts';

const MAGIC_BYTES = 4;
const SYNC_BYTES = 16;

/** An Event Hubs event holds at most 1 MiB; a block that inflates beyond this is an attack. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const primitive = z.enum(['string', 'bytes', 'int', 'long', 'boolean']);
const fieldType = z.union([primitive, z.tuple([z.literal('null'), primitive]), z.object({ type: primitive })]);
/**
 * Writers' schemas that are accepted: flat records, as `ChangeEvent` is. In a flat record every member takes at least
 * one byte, so that counts in hostile bytes cannot ask for more than the bytes hold.
 */
const flatRecord = z.object({
  type: z.literal('record'),
  name: z.string(),
  namespace: z.string().optional(),
  fields: z
    .array(z.object({ name: z.string(), type: fieldType }))
    .min(1)
    .max(100),
});

/**
 * The records of an Avro object container (specification 1.11, "Object Container Files") whose schema is a flat record,
 * with codec `null` or `deflate`; 64-bit numbers as text. Throws UnprocessableError (`undecodable`).
 */
export function decodeContainer(
  bytes: Uint8Array,
): readonly { readonly [name: string]: string | number | boolean | null | Uint8Array }[] {
  const cursor = new AvroCursor(bytes, { position: MAGIC_BYTES });
  const metadata = readMetadata(cursor);
  const type = writerType(metadata.get('avro.schema') ?? '');
  const codec = metadata.get('avro.codec') ?? 'null';
  cursor.skip(SYNC_BYTES);
  const records = [];
  while (!cursor.atEnd) {
    const count = cursor.readNumber();
    const block = inflate(cursor.readBytes(), codec);
    cursor.skip(SYNC_BYTES);
    let position = 0;
    for (let left = count; left > 0; left--) {
      const { value, offset } = decodeAt(type, block, position);
      position = offset;
      records.push(plain(value));
    }
    if (position !== block.length)
      throw new UnprocessableError('undecodable', 'Avro container: a block has bytes left over');
  }
  return records;
}

function readMetadata(cursor: AvroCursor): Map<string, string> {
  const metadata = new Map<string, string>();
  cursor.skipArray(() => metadata.set(asText(cursor.readBytes()), asText(cursor.readBytes())));
  return metadata;
}

function writerType(schemaText: string): Type {
  try {
    const schema = flatRecord.parse(JSON.parse(schemaText));
    const fields = schema.fields.map(({ name, type }) => ({ name, type: textAsBytes(type) }));
    return avro.Type.forSchema(
      { type: 'record', name: schema.name, fields },
      { registry: { long: LONG_TYPE }, wrapUnions: false },
    );
  } catch (cause) {
    throw new UnprocessableError('undecodable', 'Avro container: its schema is no flat record', { cause });
  }
}

function inflate(block: Uint8Array, codec: string): Buffer {
  if (codec === 'null') return asBuffer(block);
  if (codec !== 'deflate')
    throw new UnprocessableError('undecodable', 'Avro container: only the codecs null and deflate are read');
  try {
    return inflateRawSync(block, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (cause) {
    throw new UnprocessableError('undecodable', 'Avro container: a block does not inflate', { cause });
  }
}

/** Avro writes texts as it writes bytes. Read as bytes, so that a text that is not UTF-8 is noticed and not mended. */
function textAsBytes(type: z.infer<typeof fieldType>): Schema {
  if (Array.isArray(type)) return [type[0], primitiveAsBytes(type[1])];
  return primitiveAsBytes(typeof type === 'string' ? type : type.type);
}

function primitiveAsBytes(name: z.infer<typeof primitive>) {
  return name === 'string' ? 'bytes' : name;
}

function decodeAt(type: Type, block: Buffer, position: number): { value: object; offset: number } {
  try {
    const { value, offset } = type.decode(block, position);
    if (offset > position) return { value, offset };
  } catch (cause) {
    throw new UnprocessableError('undecodable', 'Avro container: a record cannot be read', { cause });
  }
  throw new UnprocessableError('undecodable', 'Avro container: a block ends early');
}

function plain(record: object) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, plainValue(name, value)]));
}

function plainValue(name: string, value: null | boolean | number | bigint | Uint8Array) {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Uint8Array && name !== 'data' ? asText(value) : value;
}

function asText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new UnprocessableError('undecodable', 'Avro container: a text is not valid UTF-8', { cause });
  }
}
