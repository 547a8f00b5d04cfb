import avro from 'avsc';
import { AvroCursor, asBuffer } from './avroCursor.ts';
import { DATA_HEAD_SCHEMA, DATA_TAIL_SCHEMA } from './avroSchemas.ts';
import { type AvroData, decodeAt, LONG_TYPE, REPLACEMENT } from './avroTypes.ts';

/*
 * A `Data` record begins with what its table is called and which columns it has, and that beginning is the same, byte for
 * byte, in most events of a table. Avro puts nothing between the members of a record, so the beginning and the rest can be
 * decoded as two records, and the beginning only once: it has most of the texts, and texts are most of the work.
 */

type Head = Pick<AvroData['eventsource'], 'db' | 'schema' | 'tbl' | 'cols'>;
type Tail = Pick<AvroData['eventsource'], 'pkkey' | 'transaction'> & Pick<AvroData, 'eventrow'>;

const HEAD_TYPE = avro.Type.forSchema(DATA_HEAD_SCHEMA, { registry: { long: LONG_TYPE } });
const TAIL_TYPE = avro.Type.forSchema(DATA_TAIL_SCHEMA, { registry: { long: LONG_TYPE } });

/** Beginnings remembered, and the longest that is: together some megabytes. */
const MAX_HEADS = 500;
const MAX_HEAD_BYTES = 16_384;

const heads = new Map<string, Head>();

/** Decodes one `Data` record that fills `bytes`; throws UnprocessableError (`undecodable`). */
export function decodeData(bytes: Uint8Array): AvroData {
  const cursor = new AvroCursor(bytes);
  walkHead(cursor);
  const headBytes = cursor.position;
  walkTail(cursor);
  const buffer = asBuffer(bytes);
  const { db, schema, tbl, cols } = headOf(buffer, headBytes);
  const { pkkey, transaction, eventrow }: Tail = decodeAt(TAIL_TYPE, buffer, headBytes);
  if (mayHoldInvalidText(eventrow, pkkey, transaction)) {
    walkTail(new AvroCursor(bytes, { position: headBytes, checksTexts: true }));
  }
  return { eventsource: { db, schema, tbl, cols, pkkey, transaction }, eventrow };
}

function headOf(buffer: Buffer, length: number): Head {
  const text = length <= MAX_HEAD_BYTES ? buffer.toString('latin1', 0, length) : undefined;
  const known = text === undefined ? undefined : heads.get(text);
  if (known !== undefined) return known;
  walkHead(new AvroCursor(buffer, { checksTexts: true }));
  const head: Head = decodeAt(HEAD_TYPE, buffer, 0);
  if (text === undefined) return head;
  if (heads.size >= MAX_HEADS) heads.clear();
  heads.set(text, head);
  return head;
}

/** Texts are looked at a second time only where the decoder may have replaced bytes: checking each costs more than decoding. */
function mayHoldInvalidText(
  { old, current }: Tail['eventrow'],
  pkkey: Tail['pkkey'],
  transaction: Tail['transaction'],
) {
  return (
    old.includes(REPLACEMENT) ||
    current.includes(REPLACEMENT) ||
    transaction.commitlsn.includes(REPLACEMENT) ||
    transaction.committime.includes(REPLACEMENT) ||
    pkkey.some((key) => key.value.includes(REPLACEMENT) || key.columnname.includes(REPLACEMENT))
  );
}

function walkHead(cursor: AvroCursor): void {
  for (let text = 0; text < 3; text++) cursor.skipText();
  cursor.skipArray(skipColumn);
}

function walkTail(cursor: AvroCursor): void {
  cursor.skipArray(skipKeyPart);
  cursor.skipText();
  cursor.skipText();
  cursor.readNumber();
  cursor.skip(1);
  for (let text = 0; text < 3; text++) cursor.skipText();
  cursor.expectEnd();
}

function skipColumn(cursor: AvroCursor): void {
  cursor.skipText();
  cursor.skipText();
  cursor.readNumber();
}

function skipKeyPart(cursor: AvroCursor): void {
  cursor.skipText();
  cursor.skipText();
}
