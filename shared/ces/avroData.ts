import avro from 'avsc';
import { AvroCursor, asBuffer } from '../avro/cursor.ts';
import { DATA_HEAD_SCHEMA, DATA_MIDDLE_SCHEMA } from './avroSchemas.ts';
import { type AvroData, decodeAt, LONG_TYPE, REPLACEMENT } from './avroTypes.ts';

/*
 * A `Data` record begins with what its table is called and which columns it has, and that beginning is the same, byte for
 * byte, in most events of a table. Avro puts nothing between the members of a record, so the beginning and the rest can be
 * decoded as records of their own, and the beginning only once: it has most of the texts, and texts are most of the work.
 */

type Head = Pick<AvroData['eventsource'], 'db' | 'schema' | 'tbl' | 'cols'>;
type Middle = Pick<AvroData['eventsource'], 'pkkey' | 'transaction'>;

/** A decoded record, with its images as the caller wants them. */
export interface DecodedData<Image> {
  readonly eventsource: AvroData['eventsource'];
  readonly eventrow: { readonly old: Image; readonly current: Image };
}

const HEAD_TYPE = avro.Type.forSchema(DATA_HEAD_SCHEMA, { registry: { long: LONG_TYPE } });
const MIDDLE_TYPE = avro.Type.forSchema(DATA_MIDDLE_SCHEMA, { registry: { long: LONG_TYPE } });

/** Beginnings remembered, and the longest that is: together some megabytes. */
const MAX_HEADS = 500;
const MAX_HEAD_BYTES = 16_384;

const heads = new Map<string, Head>();

/**
 * Decodes one `Data` record that fills `bytes`. `readImage` reads one image, which is a text, off the cursor: a large one
 * is never wanted as one text. Throws UnprocessableError (`undecodable`).
 */
export function decodeData<Image>(bytes: Uint8Array, readImage: (cursor: AvroCursor) => Image): DecodedData<Image> {
  const buffer = asBuffer(bytes);
  const cursor = new AvroCursor(buffer);
  walkHead(cursor);
  const headBytes = cursor.position;
  walkMiddle(cursor);
  const eventrow = { old: readImage(cursor), current: readImage(cursor) };
  cursor.expectEnd();
  const { db, schema, tbl, cols } = headOf(buffer, headBytes);
  const { pkkey, transaction }: Middle = decodeAt(MIDDLE_TYPE, buffer, headBytes);
  if (mayHoldInvalidText(pkkey, transaction)) {
    walkMiddle(new AvroCursor(buffer, { position: headBytes, checksTexts: true }));
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
function mayHoldInvalidText(pkkey: Middle['pkkey'], transaction: Middle['transaction']) {
  return (
    transaction.commitlsn.includes(REPLACEMENT) ||
    transaction.beginlsn.includes(REPLACEMENT) ||
    transaction.committime.includes(REPLACEMENT) ||
    pkkey.some((key) => key.value.includes(REPLACEMENT) || key.columnname.includes(REPLACEMENT))
  );
}

function walkHead(cursor: AvroCursor): void {
  for (let text = 0; text < 3; text++) cursor.skipText();
  cursor.skipArray(skipColumn);
}

function walkMiddle(cursor: AvroCursor): void {
  cursor.skipArray(skipKeyPart);
  cursor.skipText();
  cursor.skipText();
  cursor.readNumber();
  cursor.skip(1);
  cursor.skipText();
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
