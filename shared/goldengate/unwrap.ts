import { isUtf8 } from 'node:buffer';
import type { Part } from '../body/parts.ts';
import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { DEFAULT_FIELDS, type FieldNames } from './fieldNames.ts';
import { isList, isObject, type JsonObject, member, setMember } from './members.ts';
import { nestedParts } from './nestedPart.ts';

/** What was in envelopes: a record, or a list of what may be in envelopes again. */
export type Unwrapped = (
  | { readonly record: JsonValue; readonly parts: null }
  | { readonly record: null; readonly parts: Iterable<Part> }
) & {
  /** The attributes of the innermost CloudEvent among the envelopes; null without one. */
  readonly cloudEvent: JsonObject | null;
  /** Envelopes and lists that have been taken off, those around included. */
  readonly layers: number;
};

/** Envelopes in envelopes; more of them than any chain of relays adds. */
const MAX_LAYERS = 8;
/** Characters in the attributes of a CloudEvent that holds a list: each of its records is kept with them. */
const MAX_SHARED_ATTRIBUTES = 4_096;
const OPEN_BRACKET = '[';
/** Members of what Kafka's REST proxy and connectors put around a value. */
const KAFKA_MEMBERS = new Set(['key', 'value', 'partition', 'headers', 'timestamp', 'topic', 'offset']);

/** Tells at a glance that most records are in no envelope, whatever their columns are called. */
export function isBare(part: JsonValue, fields: FieldNames): boolean {
  if (!isObject(part)) return false;
  // No envelope has this field; one of another name, as `type`, may be a CloudEvent's too, but without a table.
  if (part.op_type !== undefined) return true;
  return fields.opType !== DEFAULT_FIELDS.opType && member(part, fields.opType) !== undefined && hasTable(part, fields);
}

function hasTable(part: JsonObject, { table: [dataStream, classic] }: FieldNames): boolean {
  return member(part, dataStream) !== undefined || member(part, classic) !== undefined;
}

/**
 * Takes off what relays put around records: CloudEvents in their structured form (also with `data` as text or base64),
 * Kafka Connect's `schema` and `payload`, Kafka's `key` and `value`; up to a record, or to a list. `content` came in
 * `byteLength` bytes, and out of `layers` already. `fields` are those of the stream. `split` cuts a text as a body is
 * cut: one of several parts is a list. Throws UnprocessableError.
 */
export function unwrap(
  content: JsonValue,
  byteLength: number,
  layers: number,
  fields: FieldNames,
  split: (text: string) => Iterator<Part, undefined>,
): Unwrapped {
  let record = content;
  let cloudEvent: JsonObject | null = null;
  for (let layer = layers; !isBare(record, fields); layer++) {
    const inner: JsonValue | undefined = isObject(record) ? innerOf(record) : undefined;
    if (inner === undefined && !isList(record)) break;
    if (layer === MAX_LAYERS) throw new UnprocessableError('invalid-envelope', 'there are too many envelopes');
    if (isList(record)) return listIn(nestedParts(record, byteLength), cloudEvent, layer + 1);
    if (isObject(record) && isCloudEvent(record)) cloudEvent = attributesOf(record);
    if (typeof inner === 'string') {
      // It is written as UTF-8 to be cut, which has no bytes for half a character.
      if (!inner.isWellFormed())
        throw new UnprocessableError('undecodable', 'a text in an envelope has half a character');
      const parts = split(inner);
      const first = parts.next().value;
      const second = first === undefined ? undefined : parts.next().value;
      if (second !== undefined || (first === undefined && inner.includes(OPEN_BRACKET))) {
        return listIn(chain([first, second], parts), cloudEvent, layer + 1);
      }
      record = onlyIn(first);
    } else record = inner ?? null;
  }
  return { record, parts: null, cloudEvent, layers };
}

function listIn(parts: Iterable<Part>, cloudEvent: JsonObject | null, layers: number): Unwrapped {
  if (cloudEvent !== null && JSON.stringify(cloudEvent).length > MAX_SHARED_ATTRIBUTES) {
    throw new UnprocessableError('invalid-envelope', 'the attributes of the CloudEvent are too long for a list');
  }
  return { record: null, parts, cloudEvent, layers };
}

function* chain(first: readonly (Part | undefined)[], rest: Iterator<Part, undefined>): Generator<Part> {
  for (const part of first) if (part !== undefined) yield part;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}

/** The content of a text that is one part. */
function onlyIn(part: Part | undefined): JsonValue {
  if (part === undefined) throw new UnprocessableError('undecodable', 'an envelope holds an empty text');
  if (part.content instanceof UnprocessableError) throw part.content;
  return part.content;
}

/** What `record` is an envelope of, a text for what has to be read yet; undefined where it is none. */
function innerOf(record: JsonObject): JsonValue | undefined {
  if (isCloudEvent(record)) return dataOf(record);
  if (Object.hasOwn(record, 'payload') && Object.hasOwn(record, 'schema') && Object.keys(record).length === 2) {
    return record.payload;
  }
  if (!Object.hasOwn(record, 'value')) return undefined;
  for (const name in record) if (!KAFKA_MEMBERS.has(name)) return undefined;
  return record.value;
}

function isCloudEvent(record: JsonObject): boolean {
  return typeof record.specversion === 'string';
}

function dataOf(event: JsonObject): JsonValue {
  const { data, data_base64: base64 } = event;
  if (data !== undefined) return data;
  if (typeof base64 === 'string') {
    const bytes = Buffer.from(base64, 'base64');
    if (!isUtf8(bytes)) throw new UnprocessableError('undecodable', 'the CloudEvent holds bytes that are not UTF-8');
    return bytes.toString();
  }
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
