import avro from 'avsc';
import { AvroCursor, asBuffer } from '../avro/cursor.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { CHANGE_EVENT_HEAD_SCHEMA, CHANGE_EVENT_SCHEMA, DATA_SCHEMA } from './avroSchemas.ts';

/** The members of Avro's `ChangeEvent`, which is a whole CloudEvent, but for `data`. */
export interface AvroChangeEvent {
  readonly specversion: string;
  readonly type: string;
  readonly source: string;
  readonly id: string;
  readonly logicalid: string;
  readonly time: string;
  readonly datacontenttype: string;
  readonly operation: string;
  readonly segmentindex: number;
  readonly finalsegment: boolean;
}

/** The members of Avro's `Data`: what the `data` of an unsplit event, or of all its segments joined, holds. */
export interface AvroData {
  readonly eventsource: {
    readonly db: string;
    readonly schema: string;
    readonly tbl: string;
    readonly cols: readonly { readonly name: string; readonly type: string; readonly index: number }[];
    readonly pkkey: readonly { readonly columnname: string; readonly value: string }[];
    readonly transaction: {
      readonly commitlsn: string;
      readonly beginlsn: string;
      readonly sequencenumber: number;
      readonly finalevent: boolean;
      readonly committime: string;
    };
  };
  readonly eventrow: { readonly old: string; readonly current: string };
}

/** Avro's `long` as a bigint: the library's own rounds what a double cannot hold. */
export const LONG_TYPE = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => (a === b ? 0 : a < b ? -1 : 1),
});

export const CHANGE_EVENT_TYPE = avro.Type.forSchema(CHANGE_EVENT_SCHEMA, { registry: { long: LONG_TYPE } });
export const DATA_TYPE = avro.Type.forSchema(DATA_SCHEMA, { registry: { long: LONG_TYPE } });

const CHANGE_EVENT_HEAD_TYPE = avro.Type.forSchema(CHANGE_EVENT_HEAD_SCHEMA, { registry: { long: LONG_TYPE } });

/** U+FFFD: what the Avro library puts in place of bytes that are no UTF-8. */
export const REPLACEMENT = '\ufffd';

/** Decodes one `ChangeEvent` that fills `bytes`; throws UnprocessableError (`undecodable`). `data`, its last member, is a view. */
export function decodeChangeEvent(bytes: Uint8Array): { readonly event: AvroChangeEvent; readonly data: Uint8Array } {
  const buffer = asBuffer(bytes);
  const cursor = new AvroCursor(buffer);
  walkChangeEvent(cursor);
  const data = cursor.readBytes();
  cursor.expectEnd();
  const event: AvroChangeEvent = decodeAt(CHANGE_EVENT_HEAD_TYPE, buffer, 0);
  const mayHoldInvalidText =
    event.id.includes(REPLACEMENT) ||
    event.logicalid.includes(REPLACEMENT) ||
    event.time.includes(REPLACEMENT) ||
    event.datacontenttype.includes(REPLACEMENT);
  if (mayHoldInvalidText) walkChangeEvent(new AvroCursor(buffer, { checksTexts: true }));
  return { event, data };
}

/** Decodes a record at a position of bytes that an `AvroCursor` has walked over; throws UnprocessableError (`undecodable`). */
export function decodeAt(type: avro.Type, buffer: Buffer, position: number) {
  try {
    const { value, offset } = type.decode(buffer, position);
    if (offset > position) return value;
  } catch (cause) {
    throw new UnprocessableError('undecodable', `Avro: the bytes are no ${type.name}`, { cause });
  }
  throw new UnprocessableError('undecodable', `Avro: the bytes are no ${type.name}`);
}

function walkChangeEvent(cursor: AvroCursor): void {
  for (let text = 0; text < 8; text++) cursor.skipText();
  cursor.readNumber();
  cursor.skip(1);
}
