import type { Columns, JsonValue } from '../change/json.ts';
import type { QlikStream } from '../config.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { fromAttunity, isAttunity } from './attunity.ts';
import { type DataMessage, isObject, type JsonObject, type QlikMessage } from './message.ts';

/** The test for Replicate's envelope that its documentation names. */
export const MAGIC = 'atMSG';

export type MessageFormat = QlikStream['format'];

/** Members of the headers, by which flattened headers are told from columns. */
const HEADER_NAMES = [
  'operation',
  'changeSequence',
  'timestamp',
  'streamPosition',
  'transactionId',
  'changeMask',
  'columnMask',
  'externalSchemaId',
  'transactionEventCounter',
  'transactionLastEvent',
] as const;

/**
 * The message that `value` is: in Replicate's envelope or bare, in the usual format or the stream's own, or in the format that
 * came before the envelope. Which shape it is decides where everything stands; nothing is searched for, because the
 * envelope has `headers` of its own and columns may have any name. Throws UnprocessableError: `invalid-envelope` or
 * `unsupported-type`.
 */
export function readMessage(value: JsonValue, format: MessageFormat): QlikMessage {
  if (!isObject(value)) throw new UnprocessableError('invalid-envelope', 'the message is no object');
  if (value.magic === MAGIC) return fromEnvelope(value, format);
  if (isObject(value.tableStructure)) return { kind: 'metadata', schemaId: null, content: value };
  if (isAttunity(value)) return fromAttunity(value);
  const inner = memberOf(value, format.message);
  const isWrapped = isObject(inner) && findHeaders(value, format) === undefined;
  return readContent(isWrapped ? inner : value, format, null, 'json');
}

/** The data message whose content is `content`: what the envelope's `message` holds. Throws as `readMessage` does. */
export function readContent(
  content: JsonObject,
  format: MessageFormat,
  schemaId: string | null,
  form: 'json' | 'avro',
): DataMessage {
  const found = findHeaders(content, format);
  if (found === undefined) {
    throw new UnprocessableError('invalid-envelope', 'there is no operation where a message has it');
  }
  const before = content[format.beforeData];
  return {
    kind: 'data',
    schemaId,
    table: tableName(textAt(content, format.schema), textAt(content, format.table)),
    data: format.data === '' ? columnsBeside(content, format, found) : section(content[format.data], 'data'),
    beforeData: section(before, 'beforeData'),
    headers: found.headers,
    messageKey: null,
    form,
  };
}

/** `<schema>.<table>`; null without a table. */
export function tableName(schema: string | null, table: string | null): string | null {
  if (table === null || table === '') return null;
  return schema === null || schema === '' ? table : `${schema}.${table}`;
}

function fromEnvelope(envelope: JsonObject, format: MessageFormat): QlikMessage {
  const { type, messageSchemaId } = envelope;
  const schemaId = typeof messageSchemaId === 'string' && messageSchemaId !== '' ? messageSchemaId : null;
  const content = memberOf(envelope, format.message);
  if (type !== 'MD' && type !== 'DT')
    throw new UnprocessableError('unsupported-type', 'the type of the envelope is neither MD nor DT');
  if (!isObject(content)) throw new UnprocessableError('invalid-envelope', 'the message in the envelope is no object');
  if (type === 'MD') return { kind: 'metadata', schemaId, content };
  return readContent(content, format, schemaId, 'json');
}

interface FoundHeaders {
  readonly headers: JsonObject;
  /** The members of the content that are headers. */
  readonly members: readonly string[];
}

/** Headers as a section, flattened, or flattened with the section's name before each; undefined where there are none. */
function findHeaders(content: JsonObject, format: MessageFormat): FoundHeaders | undefined {
  const nested = format.headers === '' ? undefined : content[format.headers];
  if (isObject(nested)) return { headers: nested, members: [format.headers] };
  for (const prefix of ['', `${format.headers || 'headers'}_`]) {
    if (typeof content[`${prefix}operation`] !== 'string') continue;
    const names = HEADER_NAMES.filter((name) => Object.hasOwn(content, prefix + name));
    return {
      headers: Object.fromEntries(names.map((name) => [name, content[prefix + name] ?? null])),
      members: names.map((name) => prefix + name),
    };
  }
  return undefined;
}

function columnsBeside(content: JsonObject, format: MessageFormat, { members }: FoundHeaders): Columns {
  const others = new Set([...members, format.beforeData]);
  return Object.fromEntries(Object.entries(content).filter(([name]) => !others.has(name)));
}

function section(value: JsonValue | undefined, what: string): Columns | null {
  if (value === undefined || value === null) return null;
  if (isObject(value)) return value;
  throw new UnprocessableError('invalid-envelope', `${what} is no object`);
}

function memberOf(value: JsonObject, name: string): JsonValue | undefined {
  return name === '' ? value : value[name];
}

function textAt(content: JsonObject, path: string): string | null {
  if (!path.includes('.') && !Object.hasOwn(content, path)) return null;
  let value: JsonValue | undefined = content;
  for (const name of path.split('.')) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof value === 'string' ? value : null;
}
