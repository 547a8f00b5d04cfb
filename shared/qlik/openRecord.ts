import { parseAvroSchema } from '../avro/schema.ts';
import { partOf } from '../body/parts.ts';
import type { Columns, JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { type AvroFrame, type EnvelopeFrame, isAvroBody, splitAvroBody } from './avroFrames.ts';
import { type AvroReader, readerOf, readWhole } from './avroReader.ts';
import { type DataMessage, isObject, type MetadataMessage } from './message.ts';
import { type MessageFormat, readContent, readMessage } from './shapes.ts';
import { unwrap } from './unwrap.ts';

/** A record as far as it can be read without anything that is known from earlier. */
export type OpenedRecord = DataMessage | MetadataMessage | EncodedMessage | { readonly kind: 'nothing' };

/** A data message in Avro: its schema is somewhere else. */
export interface EncodedMessage {
  readonly kind: 'encoded';
  readonly schema: SchemaName;
  readonly payload: Uint8Array;
  readonly messageKey: Columns | null;
}

/** Where the schema of an Avro message comes from: a metadata message, or a registry. */
export type SchemaName =
  | { readonly from: 'metadata'; readonly schemaId: string }
  | { readonly from: 'registry'; readonly registryId: number };

/** What a part of a body holds: JSON, or one Avro message. */
export type Content = JsonValue | AvroFrame;

/** How much of what is compressed inside a record may come out. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;
const MAX_REMEMBERED_SCHEMAS = 200;

const NOTHING = { kind: 'nothing' } as const;

/** Opens a part of a JSON body. Throws UnprocessableError. */
export function openJson(value: JsonValue, format: MessageFormat): OpenedRecord {
  const { content, messageKey } = unwrap(value);
  if (content === null) return NOTHING;
  if (content instanceof Uint8Array) return openWrappedBytes(content, messageKey, format);
  const message = readMessage(content as JsonValue, format);
  return messageKey === null || message.kind === 'metadata' ? message : { ...message, messageKey };
}

/** Opens one Avro message. Throws UnprocessableError: `undecodable`, `illegal-schema`, `unsupported-type` or `invalid-envelope`. */
export function openFrame(frame: AvroFrame, messageKey: Columns | null, format: MessageFormat): OpenedRecord {
  switch (frame.kind) {
    case 'envelope':
      return openEnvelope(frame, messageKey);
    case 'registered': {
      const schema = { from: 'registry', registryId: frame.registryId } as const;
      return { kind: 'encoded', schema, payload: frame.payload, messageKey };
    }
    case 'record': {
      const { value } = frame;
      if (isObject(value) && isObject(value.tableStructure))
        return { kind: 'metadata', schemaId: null, content: value };
      return { ...contentOf(value, format, null), messageKey };
    }
  }
}

/** Opens a record from the bytes that were kept of it. Throws UnprocessableError. */
export function openBytes(bytes: Uint8Array, format: MessageFormat, nestingLevels: number): OpenedRecord {
  if (isAvroBody(bytes)) return openWrappedBytes(bytes, null, format);
  const { content } = partOf(bytes, { nestingLevels });
  if (content instanceof UnprocessableError) throw content;
  return openJson(content, format);
}

/** Reads a data message with the reader of its schema. Throws UnprocessableError (`undecodable` or `invalid-envelope`). */
export function decodeMessage(
  { schema, payload, messageKey }: EncodedMessage,
  reader: AvroReader,
  format: MessageFormat,
): DataMessage {
  const schemaId = schema.from === 'metadata' ? schema.schemaId : null;
  return { ...contentOf(readWhole(reader, payload), format, schemaId), messageKey };
}

function openEnvelope(frame: EnvelopeFrame, messageKey: Columns | null): OpenedRecord {
  const { type, schemaId, messageSchema, message } = frame;
  if (type === 'DT') {
    if (schemaId === null)
      throw new UnprocessableError('invalid-envelope', 'an Avro data message does not name its schema');
    return { kind: 'encoded', schema: { from: 'metadata', schemaId }, payload: message, messageKey };
  }
  if (type !== 'MD') throw new UnprocessableError('unsupported-type', 'the type of the envelope is neither MD nor DT');
  if (messageSchema === null)
    throw new UnprocessableError('illegal-schema', 'an Avro metadata message comes without its messageSchema');
  const content = readWhole(metadataReader(messageSchema), message);
  if (!isObject(content)) throw new UnprocessableError('invalid-envelope', 'the metadata is no record');
  return { kind: 'metadata', schemaId, content };
}

function openWrappedBytes(bytes: Uint8Array, messageKey: Columns | null, format: MessageFormat): OpenedRecord {
  let opened: OpenedRecord | undefined;
  for (const { content } of splitAvroBody(bytes, MAX_RECORD_BYTES)) {
    if (content instanceof UnprocessableError) throw content;
    if (opened !== undefined) throw new UnprocessableError('undecodable', 'several messages stand in one record');
    opened = openFrame(content, messageKey, format);
  }
  if (opened === undefined) throw new UnprocessableError('undecodable', 'the record holds no message');
  return opened;
}

function contentOf(value: JsonValue, format: MessageFormat, schemaId: string | null): DataMessage {
  if (!isObject(value)) throw new UnprocessableError('invalid-envelope', 'the message is no record');
  return readContent(value, format, schemaId, 'avro');
}

const metadataReaders = new Map<string, AvroReader>();

/** The metadata of one table comes with the same schema every time, and a task's restart brings that of all tables. */
function metadataReader(schema: string): AvroReader {
  const known = metadataReaders.get(schema);
  if (known !== undefined) return known;
  const reader = readerOf(parseAvroSchema(schema));
  if (metadataReaders.size >= MAX_REMEMBERED_SCHEMAS) metadataReaders.clear();
  metadataReaders.set(schema, reader);
  return reader;
}
