import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { attributesOfRecord, type CesAttributes, misfit, readAttributes } from './attributes.ts';
import { decodeContainer } from './avroContainer.ts';
import { decodeChangeEvent } from './avroTypes.ts';
import { parseJsonWithBrokenText } from './brokenText.ts';
import { CutJson } from './cutJson.ts';
import { isObject, type JsonObject, type NumberDigits, parseJson, parseWithDigits, skipBlank } from './exactParse.ts';

/** `data` that is an object in the envelope itself, with the digits of its numbers. */
export interface DataObject {
  readonly value: JsonObject;
  readonly digits: NumberDigits;
}

/** `data` as the envelope has it: text, bytes (Avro, or the UTF-8 of a text), or an object. A segment's is a fragment. */
export type CesData = string | Uint8Array | DataObject;

/** One CES CloudEvent: a whole change event or one segment of it. */
export interface CesEnvelope {
  readonly attributes: CesAttributes;
  readonly data: CesData;
}

const OPEN_BRACE = 0x7b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const CONTAINER_MAGIC = [0x4f, 0x62, 0x6a, 0x01];
/** Avro's string `1.0`: how a bare `ChangeEvent` begins, whose first member is `specversion`. */
const BARE_RECORD = [0x06, 0x31, 0x2e, 0x30];
const SINGLE_OBJECT_MAGIC = [0xc3, 0x01];
/** The two bytes of the magic and eight of the schema's fingerprint. */
const SINGLE_OBJECT_HEADER_BYTES = 10;
const REGISTRY_MAGIC = [0x00];
/** One byte of magic and four of the schema's id. */
const REGISTRY_HEADER_BYTES = 5;

const LARGE_BYTES = 32_768;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The one CloudEvent in the body of an Event Hubs event; throws UnprocessableError where there is none or more than one.
 * @see decodeEnvelopes
 */
export function decodeEnvelope(body: Uint8Array): CesEnvelope {
  const [envelope, ...more] = decodeEnvelopes(body);
  if (envelope === undefined || more.length > 0) {
    throw new UnprocessableError(
      'invalid-envelope',
      `one event expected, the body holds ${more.length + (envelope ? 1 : 0)}`,
    );
  }
  return envelope;
}

/**
 * The CloudEvents in the body of an Event Hubs event: one, or any number in an Avro object container. The bytes alone
 * decide what they are, because labels lie (`application/avro-json` on plain JSON) and change with the producer's
 * protocol. Throws UnprocessableError: `undecodable`, `invalid-envelope` or `unsupported-type`.
 */
export function decodeEnvelopes(body: Uint8Array): readonly CesEnvelope[] {
  if (body[0] === OPEN_BRACE) return [decodeJson(body)];
  if (startsWith(body, BARE_RECORD)) return [fromRecord(body)];
  if (startsWith(body, CONTAINER_MAGIC)) return decodeContainer(body).map(fromMembers);
  if (startsWith(body, SINGLE_OBJECT_MAGIC)) return [decodeFramed(body.subarray(SINGLE_OBJECT_HEADER_BYTES))];
  if (startsWith(body, REGISTRY_MAGIC)) return [decodeFramed(body.subarray(REGISTRY_HEADER_BYTES))];
  return [decodeJson(body.subarray(skipBlank(body, startsWith(body, BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0)))];
}

function decodeFramed(record: Uint8Array): CesEnvelope {
  if (startsWith(record, BARE_RECORD)) return fromRecord(record);
  if (record[skipBlank(record)] === OPEN_BRACE) return decodeJson(record);
  throw new UnprocessableError('undecodable', 'the bytes begin as a framed Avro record but hold no ChangeEvent');
}

function decodeJson(bytes: Uint8Array): CesEnvelope {
  const large = bytes.length > LARGE_BYTES ? decodeLargeJson(bytes) : undefined;
  if (large !== undefined) return large;
  if (bytes[0] !== OPEN_BRACE && !isUtf8(bytes)) {
    throw new UnprocessableError('undecodable', 'the bytes are neither a JSON nor an Avro CloudEvent');
  }
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return fromMembers(parseJsonWithBrokenText(bytes));
  }
  const envelope = parseJson(text, 'the message');
  if (!isObject(envelope)) throw new UnprocessableError('invalid-envelope', 'the message is JSON but no CloudEvent');
  if (!isObject(envelope.data)) return fromMembers(envelope);
  const { value, digits } = parseWithDigits(text, 'the message');
  const data = isObject(value) ? value.data : undefined;
  if (!isObject(data)) throw new UnprocessableError('invalid-envelope', 'the message is JSON but no CloudEvent');
  return { attributes: readAttributes(envelope), data: { value: data, digits } };
}

/**
 * The same with `data` as bytes, and no text of the whole message on the way: segments of a large event are many and
 * large. Undefined where the message is not as most are.
 */
function decodeLargeJson(bytes: Uint8Array): CesEnvelope | undefined {
  try {
    const cut = new CutJson(Uint8Array.from(bytes), 'the message');
    const envelope = parseJson(cut.skeleton, 'the message');
    const data = isObject(envelope) ? cut.bytesOf(envelope.data) : undefined;
    if (!isObject(envelope) || data === undefined) return undefined;
    const { data: _, ...members } = envelope;
    cut.mend(members);
    return fromMembers({ ...members, data });
  } catch (error) {
    if (error instanceof UnprocessableError) return undefined;
    throw error;
  }
}

function fromRecord(bytes: Uint8Array): CesEnvelope {
  const { event, data } = decodeChangeEvent(bytes);
  return { attributes: attributesOfRecord(event), data };
}

function fromMembers(members: { readonly type?: unknown; readonly data?: JsonValue | Uint8Array }): CesEnvelope {
  const attributes = readAttributes(members);
  const { data } = members;
  if (typeof data === 'string' || data instanceof Uint8Array) return { attributes, data };
  throw misfit(attributes.type, 'the envelope has no data, or data of another kind');
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  for (let at = 0; at < prefix.length; at++) if (bytes[at] !== prefix[at]) return false;
  return true;
}
