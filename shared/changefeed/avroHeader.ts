import { readVarint } from './varint.ts';

/** The head of an Avro object container file. */
export interface AvroHeader {
  /** The writer's schema, as its JSON text. */
  readonly schema: string;
  readonly sync: Buffer;
  /** The header's own bytes; the first block starts right after. */
  readonly bytes: Buffer;
}

export const SYNC_BYTES = 16;
const MAGIC = Buffer.from('Obj\u0001', 'latin1');
/** The service's own headers have less than 3 KiB. */
export const MAX_HEADER_BYTES = 4 * 1024 * 1024;

/**
 * Parses the header at the start of `bytes`; undefined when `bytes` ends inside it.
 * Throws RangeError for what is no Avro file, or one with a codec: the change feed is written without.
 */
export function parseHeader(bytes: Buffer): AvroHeader | undefined {
  const magic = bytes.subarray(0, MAGIC.length);
  if (!magic.equals(MAGIC.subarray(0, magic.length))) throw new RangeError('it does not begin as an Avro file does');
  const metadata = readMetadata(bytes, MAGIC.length);
  if (metadata === undefined) return undefined;
  const { entries, end } = metadata;
  if (bytes.length < end + SYNC_BYTES) return undefined;
  const codec = entries.get('avro.codec') ?? 'null';
  if (codec !== 'null') throw new RangeError(`its blocks are compressed with ${JSON.stringify(codec)}`);
  const schema = entries.get('avro.schema');
  if (schema === undefined) throw new RangeError('its header names no schema');
  const own = Buffer.from(bytes.subarray(0, end + SYNC_BYTES));
  return { schema, sync: own.subarray(end), bytes: own };
}

/** A map of bytes: runs of entries, each run after its count (negative when its size follows), until a count of 0. */
function readMetadata(bytes: Buffer, start: number) {
  const entries = new Map<string, string>();
  let position = start;
  for (;;) {
    const run = readVarint(bytes, position);
    if (run === undefined) return undefined;
    position = run.end;
    if (run.value === 0) return { entries, end: position };
    if (run.value < 0) {
      const size = readVarint(bytes, position);
      if (size === undefined) return undefined;
      position = size.end;
    }
    for (let left = Math.abs(run.value); left > 0; left--) {
      const name = readText(bytes, position);
      const value = name && readText(bytes, name.end);
      if (name === undefined || value === undefined) return undefined;
      entries.set(name.text, value.text);
      position = value.end;
    }
  }
}

function readText(bytes: Buffer, position: number) {
  const size = readVarint(bytes, position);
  if (size === undefined) return undefined;
  if (size.value < 0 || size.value > MAX_HEADER_BYTES) throw new RangeError('its header is not as long as it says');
  const end = size.end + size.value;
  return bytes.length < end ? undefined : { text: bytes.toString('utf8', size.end, end), end };
}
