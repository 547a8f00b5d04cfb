import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { isObject, type JsonObject, setMember } from './members.ts';

/** A record without what it was wrapped in. */
export interface Unwrapped {
  readonly record: JsonValue;
  /** The attributes of the CloudEvent that it came in; null without one. */
  readonly cloudEvent: JsonObject | null;
}

/** Envelopes in envelopes; more of them than any chain of relays adds. */
const MAX_LAYERS = 8;
/** Members of what Kafka's REST proxy and connectors put around a value. */
const KAFKA_MEMBERS = new Set(['key', 'value', 'partition', 'headers', 'timestamp', 'topic', 'offset']);

/** Tells at a glance that most records are in no envelope: they have this field, and no envelope has. */
export function isBare(part: JsonValue): boolean {
  return isObject(part) && part.op_type !== undefined;
}

/**
 * Takes off what relays put around records: CloudEvents in their structured form (also with `data` as text or base64),
 * Kafka Connect's `schema` and `payload`, Kafka's `key` and `value`. A CloudEvent's data may be a list of records.
 * `parse` reads a text as a body is read. Throws UnprocessableError.
 */
export function unwrap(part: JsonValue, parse: (text: string) => JsonValue): readonly Unwrapped[] {
  let record = part;
  let cloudEvent: JsonObject | null = null;
  for (let layer = 0; isObject(record) && !isBare(record); layer++) {
    const inner: JsonValue | undefined = innerOf(record, parse);
    if (inner === undefined) break;
    if (layer === MAX_LAYERS) throw new UnprocessableError('invalid-envelope', 'there are too many envelopes');
    if (Object.hasOwn(record, 'specversion')) cloudEvent = attributesOf(record);
    record = inner;
  }
  if (record !== part && Array.isArray(record)) return record.map((each: JsonValue) => ({ record: each, cloudEvent }));
  return [{ record, cloudEvent }];
}

/** What `record` is an envelope of; undefined where it is none. */
function innerOf(record: JsonObject, parse: (text: string) => JsonValue): JsonValue | undefined {
  if (typeof record.specversion === 'string') return dataOf(record, parse);
  if (Object.hasOwn(record, 'payload') && Object.hasOwn(record, 'schema') && Object.keys(record).length === 2) {
    return record.payload;
  }
  if (!Object.hasOwn(record, 'value')) return undefined;
  for (const name in record) if (!KAFKA_MEMBERS.has(name)) return undefined;
  const { value = null } = record;
  return typeof value === 'string' ? parse(value) : value;
}

function dataOf(event: JsonObject, parse: (text: string) => JsonValue): JsonValue {
  const { data, data_base64: base64 } = event;
  if (typeof data === 'string') return parse(data);
  if (data !== undefined) return data;
  if (typeof base64 === 'string') return parse(Buffer.from(base64, 'base64').toString());
  throw new UnprocessableError('invalid-envelope', 'the CloudEvent has no data');
}

function attributesOf(event: JsonObject): JsonObject {
  const attributes: { [name: string]: JsonValue } = {};
  for (const name in event) {
    if (name !== 'data' && name !== 'data_base64') setMember(attributes, name, event[name] ?? null);
  }
  return attributes;
}

/** The attributes that a CloudEvent in binary mode has in its headers; null for a request that is none. */
export function attributesInHeaders(header: (name: string) => string | null): JsonObject | null {
  if (header('ce-specversion') === null) return null;
  const names = ['specversion', 'type', 'source', 'id', 'time', 'subject', 'dataschema'];
  const attributes = names.map((name): [string, string | null] => [name, header(`ce-${name}`)]);
  return Object.fromEntries(attributes.filter(([, value]) => value !== null));
}
