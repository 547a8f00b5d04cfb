import type { Schema, Type } from 'avsc';

/** The service writes this marker into every file it makes. */
const SYNC = Buffer.from('0d070f0c04040c00010901070b0f0e09', 'hex');
const MAGIC = Buffer.from('Obj\u0001', 'latin1');
/** The service pads the counts and sizes of blocks to as many bytes as a long can take. */
const PADDED_BYTES = 10;

/** The head of an Avro object container file without a codec. */
export function avroHeader(schema: Schema): Buffer {
  const entry = (name: string, value: string) => [text(name), text(value)];
  return Buffer.concat([
    MAGIC,
    number(2),
    ...entry('avro.codec', 'null'),
    ...entry('avro.schema', JSON.stringify(schema)),
    number(0),
    SYNC,
  ]);
}

/** One block with `records`, which are values of `type`. */
export function avroBlock(type: Type, records: readonly unknown[]): Buffer {
  const payload = Buffer.concat(records.map((record) => type.toBuffer(record)));
  return Buffer.concat([padded(records.length), padded(payload.length), payload, SYNC]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value * 2;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 0x80);
  return Buffer.from([...bytes, rest]);
}

function padded(value: number): Buffer {
  const bytes = Buffer.alloc(PADDED_BYTES, 0x80);
  const minimal = number(value);
  minimal.forEach((byte, index) => {
    bytes[index] = byte | 0x80;
  });
  bytes[PADDED_BYTES - 1] = 0;
  return bytes;
}
