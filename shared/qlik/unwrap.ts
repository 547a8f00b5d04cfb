import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../change/exact.ts';
import type { Columns, JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { isAttunity } from './attunity.ts';
import { isObject, type JsonObject } from './message.ts';
import { MAGIC } from './shapes.ts';

/** What a carrier wrapped, and the key that it gave it, where that has named columns. */
export interface Payload {
  readonly content: JsonValue | Uint8Array;
  readonly messageKey: Columns | null;
}

/** No two carriers wrap each other more often than this. */
const MAX_WRAPPERS = 4;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const KAFKA_RECORD = new Set(['key', 'value', 'partition', 'offset', 'topic', 'timestamp', 'headers']);

/**
 * Takes a message out of what carriers put around it: a record of Kafka's REST proxy (`key`, `value`), a push of Pub/Sub
 * (`message.data` is a text; in Replicate's envelope it is an object), a record of Firehose (`data` is a text), an event of
 * Event Grid or a CloudEvent (`data`), Kafka Connect (`schema`, `payload`). Texts hold JSON, or any bytes in base64.
 * Throws UnprocessableError (`undecodable`).
 */
export function unwrap(value: JsonValue): Payload {
  let payload: Payload = { content: value, messageKey: null };
  for (let wrappers = 0; wrappers < MAX_WRAPPERS; wrappers++) {
    const { content } = payload;
    if (!isObject(content) || isMessage(content)) return payload;
    const inner = innerOf(content);
    if (inner === undefined) return payload;
    payload = {
      content: typeof inner === 'string' ? decoded(inner) : inner,
      messageKey: payload.messageKey ?? keyColumns(content.key),
    };
  }
  return payload;
}

/** Messages have members that wrappers have too. */
function isMessage(value: JsonObject): boolean {
  return value.magic === MAGIC || isObject(value.headers) || isObject(value.tableStructure) || isAttunity(value);
}

function innerOf(value: JsonObject): JsonValue | undefined {
  const names = Object.keys(value);
  if (Object.hasOwn(value, 'value') && names.every((name) => KAFKA_RECORD.has(name))) return value.value;
  if (isObject(value.message) && typeof value.message.data === 'string') return value.message.data;
  if (Object.hasOwn(value, 'payload') && Object.hasOwn(value, 'schema') && names.length === 2) return value.payload;
  if (typeof value.data === 'string') return value.data;
  if (typeof value.specversion !== 'string' && typeof value.eventType !== 'string') return undefined;
  return value.data ?? value.data_base64;
}

function decoded(text: string): JsonValue | Uint8Array {
  if (!BASE64.test(text)) return parsed(text);
  const bytes = Buffer.from(text, 'base64');
  if (bytes[0] !== 0x7b && bytes.toString('latin1') !== 'null') return bytes;
  if (!isUtf8(bytes)) throw new UnprocessableError('undecodable', 'the wrapper holds bytes that are not UTF-8');
  return parsed(bytes.toString());
}

function parsed(text: string): JsonValue {
  try {
    return parseExactJson(text);
  } catch {
    throw new UnprocessableError('undecodable', 'the text in the wrapper is neither JSON nor base64');
  }
}

/** The columns of a record's key: an object, or its JSON as text. Other keys (the table's name, a number) name no column. */
function keyColumns(key: JsonValue | undefined): Columns | null {
  if (typeof key === 'string' && key.startsWith('{')) return keyColumns(parsed(key));
  if (!isObject(key)) return null;
  const { payload } = key;
  if (isObject(payload) && Object.hasOwn(key, 'schema')) return payload;
  return Object.keys(key).length === 0 ? null : key;
}
