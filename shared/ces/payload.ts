import { isUtf8 } from 'node:buffer';
import type { AvroCursor } from '../avro/cursor.ts';
import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { type DecodedData, decodeData } from './avroData.ts';
import type { AvroData } from './avroTypes.ts';
import { CutJson } from './cutJson.ts';
import type { CesData } from './envelope.ts';
import { isObject, type JsonObject, type NumberDigits, parseJson, parseWithDigits, skipBlank } from './exactParse.ts';
import { decodeGeneralised } from './generalisedUtf8.ts';

/** The table and transaction that a change belongs to, as sent. The items of the arrays are checked where they are used. */
export interface CesEventSource {
  readonly db: string;
  readonly schema: string;
  readonly tbl: string;
  readonly cols: readonly JsonValue[];
  readonly pkkey: readonly JsonValue[];
  readonly transaction: JsonObject | null;
}

/** One row image as sent: values as texts by design of the source, whatever their SQL type. */
export interface CesImage {
  readonly row: JsonObject;
  /** The digits of values that came as JSON numbers. */
  readonly digits: ReadonlyMap<string, string> | undefined;
}

/** The `Data` record of a whole event. An image that is empty, null or absent is null. */
export interface CesPayload {
  readonly eventsource: CesEventSource;
  readonly old: CesImage | null;
  readonly current: CesImage | null;
}

const OPEN_BRACE = 0x7b;

/** More than the messages of most hubs hold, so that only segments that were joined are longer. */
const LARGE_BYTES = 1_048_576;

/** `sysname` in SQL Server. */
const MAX_NAME_CHARACTERS = 128;

/**
 * Reads the `data` of an unsplit event, or of all segments joined: JSON text, its bytes, an object, or Avro `Data`, told
 * apart by their first byte. Throws UnprocessableError: `undecodable`, or `invalid-envelope` when it can be read but is
 * no `Data` record.
 */
export function readPayload(data: CesData): CesPayload {
  if (typeof data === 'string') return fromText(data);
  if (!(data instanceof Uint8Array)) return fromObject(data.value, data.digits);
  if (data[0] === OPEN_BRACE) return fromText(decodeGeneralised(data));
  if (data[skipBlank(data)] !== OPEN_BRACE) return fromAvro(data);
  try {
    return fromText(decodeGeneralised(data));
  } catch (error) {
    // An Avro record may begin so too: a database name of 5 or 16 characters whose first is a brace.
    return fromAvroOr(data, error);
  }
}

/**
 * The same for the bytes of joined segments, which are used up. Makes do with little more memory than they and their
 * values take: a large event is most of what a small instance has. Throws what `readPayload` throws.
 */
export function readJoinedPayload(bytes: Uint8Array): CesPayload {
  if (bytes.length <= LARGE_BYTES) return readPayload(bytes);
  if (bytes[0] === OPEN_BRACE) return fromLargeText(bytes);
  return bytes[skipBlank(bytes)] === OPEN_BRACE ? readPayload(bytes) : fromLargeAvro(bytes);
}

function fromAvroOr(data: Uint8Array, error: unknown): CesPayload {
  try {
    return fromAvro(data);
  } catch {
    throw error;
  }
}

function fromAvro(data: Uint8Array): CesPayload {
  const { eventsource, eventrow } = decodeData(data, readText);
  return payloadOf(eventsource, eventrow, imageOfText);
}

function fromLargeAvro(data: Uint8Array): CesPayload {
  const { eventsource, eventrow } = decodeData(data, readBytes);
  return payloadOf(eventsource, eventrow, imageOfLargeUtf8);
}

function readText(cursor: AvroCursor): string {
  return cursor.readText();
}

function readBytes(cursor: AvroCursor): Uint8Array {
  return cursor.readBytes();
}

function payloadOf<Image>(
  eventsource: AvroData['eventsource'],
  eventrow: DecodedData<Image>['eventrow'],
  imageOf: (image: Image, what: string) => CesImage | null,
): CesPayload {
  const { db, schema, tbl, cols, pkkey, transaction } = eventsource;
  checkNames(db, schema, tbl);
  const { commitlsn, beginlsn, sequencenumber, finalevent, committime } = transaction;
  return {
    eventsource: {
      db,
      schema,
      tbl,
      cols,
      pkkey,
      // A copy, since it is kept: the decoder's records are instances of classes of its own.
      transaction: { commitlsn, beginlsn, sequencenumber, finalevent, committime },
    },
    old: imageOf(eventrow.old, 'eventrow.old'),
    current: imageOf(eventrow.current, 'eventrow.current'),
  };
}

function fromLargeText(bytes: Uint8Array): CesPayload {
  const cut = new CutJson(bytes, 'data');
  return fromText(cut.skeleton, cut);
}

/** `cut`: what `text` is the skeleton of. */
function fromText(text: string, cut?: CutJson): CesPayload {
  const value = parseJson(text, 'data');
  if (!isObject(value)) throw new UnprocessableError('invalid-envelope', 'data is JSON but no object');
  if (!mayHoldNumbers(value)) return fromObject(value, undefined, cut);
  const exact = parseWithDigits(text, 'data');
  return fromObject(isObject(exact.value) ? exact.value : value, exact.digits, cut);
}

/** Whether parsing without care for digits may have changed a number that matters: in images, key or transaction. */
function mayHoldNumbers({ eventsource, eventrow }: JsonObject): boolean {
  if (isObject(eventrow) && (isObject(eventrow.old) || isObject(eventrow.current))) return true;
  if (!isObject(eventsource)) return false;
  const { pkkey, transaction } = eventsource;
  if (Array.isArray(pkkey)) {
    for (const item of pkkey) if (isObject(item) && typeof item.value === 'number') return true;
  }
  if (!isObject(transaction)) return false;
  for (const name in transaction) {
    const value = transaction[name];
    if (typeof value === 'object' || (typeof value === 'number' && !Number.isSafeInteger(value))) return true;
  }
  return false;
}

function fromObject({ eventsource, eventrow }: JsonObject, digits?: NumberDigits, cut?: CutJson): CesPayload {
  if (!isObject(eventsource)) throw new UnprocessableError('invalid-envelope', 'data has no eventsource');
  if (!isObject(eventrow)) throw new UnprocessableError('invalid-envelope', 'data has no eventrow');
  cut?.mend(eventsource);
  const { db, schema, tbl, cols, pkkey, transaction } = eventsource;
  if (typeof db !== 'string' || typeof schema !== 'string' || typeof tbl !== 'string') {
    throw new UnprocessableError('invalid-envelope', 'eventsource lacks db, schema or tbl');
  }
  checkNames(db, schema, tbl);
  return {
    eventsource: {
      db,
      schema,
      tbl,
      cols: asArray(cols, 'cols'),
      pkkey: asArray(pkkey, 'pkkey'),
      transaction: isObject(transaction) ? transaction : null,
    },
    old: imageOf(eventrow.old, 'eventrow.old', digits, cut),
    current: imageOf(eventrow.current, 'eventrow.current', digits, cut),
  };
}

function checkNames(db: string, schema: string, tbl: string): void {
  if (db === '' || tbl === '' || Math.max(db.length, schema.length, tbl.length) > MAX_NAME_CHARACTERS) {
    throw new UnprocessableError('invalid-envelope', 'db, schema or tbl is empty or longer than any SQL Server name');
  }
}

function asArray(value: JsonValue | undefined, name: string): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new UnprocessableError('invalid-envelope', `eventsource.${name} is no array`);
}

function imageOf(
  value: JsonValue | undefined,
  what: string,
  digits: NumberDigits | undefined,
  cut: CutJson | undefined,
): CesImage | null {
  const large = cut?.bytesOf(value);
  if (large !== undefined) return imageOfLargeText(large, what);
  if (typeof value === 'string') return imageOfText(value, what);
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw new UnprocessableError('invalid-envelope', `${what} is neither text nor an object`);
  cut?.mend(value);
  return isEmpty(value) ? null : { row: value, digits: digits?.get(value) };
}

function imageOfLargeUtf8(utf8: Uint8Array, what: string): CesImage | null {
  if (!isUtf8(utf8)) throw new UnprocessableError('undecodable', `Avro: ${what} is not valid UTF-8`);
  return imageOfLargeText(utf8, what);
}

function imageOfLargeText(utf8: Uint8Array, what: string): CesImage | null {
  const cut = new CutJson(utf8, what);
  return imageOfText(cut.skeleton, what, cut);
}

/** `cut`: what `text` is the skeleton of. */
function imageOfText(text: string, what: string, cut?: CutJson): CesImage | null {
  if (text === '{}' || text === '' || text === 'null') return null;
  const row = parseJson(text, what);
  if (!isObject(row)) throw new UnprocessableError('undecodable', `${what} is JSON but no object`);
  let onlyTexts = true;
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'number' || (typeof value === 'object' && value !== null)) onlyTexts = false;
  }
  if (onlyTexts) {
    cut?.mend(row);
    return isEmpty(row) ? null : { row, digits: undefined };
  }
  const exact = parseWithDigits(text, what);
  if (!isObject(exact.value)) return null;
  cut?.mend(exact.value);
  return { row: exact.value, digits: exact.digits.get(exact.value) };
}

function isEmpty(row: JsonObject): boolean {
  for (const _ in row) return false;
  return true;
}
