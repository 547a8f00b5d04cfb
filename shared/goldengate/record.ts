import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { DividedRecord } from './dividedRecord.ts';
import { DEFAULT_FIELDS, type FieldNames } from './fieldNames.ts';
import { type Header, headerOf } from './header.ts';
import { isObject, type JsonObject, member, textMember, textOf } from './members.ts';
import { type GoldenGateOp, type Operations, operationOf } from './operations.ts';
import type { RecordShapes } from './recordShapes.ts';

/** A column as OBJECT_METADATA describes it. */
export interface MetadataColumn {
  readonly name: string;
  readonly type: string | null;
  readonly null: boolean | null;
  readonly key: boolean;
}

/** What a record is, before anything is looked up. */
export type GoldenGateRecord =
  | { readonly kind: 'schema'; readonly id: string; readonly schema: JsonObject }
  | { readonly kind: 'stream'; readonly metadata: JsonObject }
  | { readonly kind: 'table'; readonly name: string; readonly columns: readonly MetadataColumn[] }
  | DataRecord
  /** A tombstone of a Kafka topic: it says nothing that its delete has not said. */
  | { readonly kind: 'nothing' };

/** A record about rows of a table, or about the table. */
export interface DataRecord {
  readonly kind: 'data';
  readonly op: GoldenGateOp;
  /** The qualified name as the stream has it. */
  readonly name: string;
  readonly record: JsonObject;
  readonly divided: DividedRecord;
}

const STREAM_METADATA = 'STREAM_METADATA';
const OBJECT_METADATA = 'OBJECT_METADATA';
/** With the stream's name before it, it has to fit into a partition key of 2,048 bytes, and into a document's id. */
const MAX_TABLE_NAME_BYTES = 800;
/** In UTF-8. */
const MAX_BYTES_PER_CODE_UNIT = 3;

/** Says what `value` is. Throws UnprocessableError. */
export function readRecord(
  value: JsonValue,
  fields: FieldNames,
  shapes: RecordShapes,
  operations: Operations,
): GoldenGateRecord {
  if (value === null) return { kind: 'nothing' };
  if (!isObject(value)) throw new UnprocessableError('invalid-envelope', 'the record is no JSON object');
  const divided = shapes.divide(value);
  // Before its operation is asked for: what that is called may be a member of every schema, as `type` is.
  const namesTable = divided.dataStreamTable !== undefined || divided.classicTable !== undefined;
  if (!namesTable && isSchema(value)) return schemaRecord(value);
  const label = textOf(divided.opType, fields.opType);
  if (label === null && isSchema(value)) return schemaRecord(value);
  const metadata = label ?? member(value, DEFAULT_FIELDS.opType);
  if (metadata === STREAM_METADATA) return { kind: 'stream', metadata: value };
  if (metadata === OBJECT_METADATA) {
    const columns = metadataColumns(member(value, 'columns'));
    return { kind: 'table', name: metadataTableName(value, divided, fields), columns };
  }
  const op = operationOf(label, operations);
  const name = op === 'ddl' ? ddlName(value, divided, fields) : tableName(divided, fields);
  return { kind: 'data', op, name, record: value, divided };
}

/** Schemas name no operation and no table: their structure tells them. */
function isSchema(value: JsonObject): boolean {
  return typeof member(value, '$schema') === 'string' && isObject(member(value, 'properties'));
}

function schemaRecord(schema: JsonObject): GoldenGateRecord {
  const id = textMember(schema, 'id') ?? textMember(schema, '$id') ?? textMember(schema, 'title');
  if (id === null) throw new UnprocessableError('invalid-envelope', 'the schema has no id');
  return { kind: 'schema', id, schema };
}

function metadataTableName(metadata: JsonObject, header: Header, fields: FieldNames): string {
  const isRenamed = header.dataStreamTable === undefined && header.classicTable === undefined;
  return isRenamed ? tableName(headerOf(metadata, DEFAULT_FIELDS), DEFAULT_FIELDS) : tableName(header, fields);
}

function tableName({ dataStreamTable, classicTable }: Header, { table: [dataStream, classic] }: FieldNames): string {
  const name = textOf(dataStreamTable, dataStream) || textOf(classicTable, classic);
  if (name) return checked(name);
  throw new UnprocessableError('invalid-envelope', 'the record names no table');
}

function ddlName(record: JsonObject, header: Header, fields: FieldNames): string {
  const ddl = member(record, fields.ddl);
  if (!isObject(ddl)) throw new UnprocessableError('invalid-envelope', 'the DDL record says nothing');
  const object = member(ddl, 'object');
  if (!isObject(object)) return tableName(header, fields);
  const names = ['catalog', 'schema', 'object'].map((each) => textMember(object, each) ?? '');
  return checked(names.filter((name) => name !== '').join('.'));
}

function checked(name: string): string {
  const isShort = name.length * MAX_BYTES_PER_CODE_UNIT <= MAX_TABLE_NAME_BYTES;
  if (name !== '' && (isShort || Buffer.byteLength(name) <= MAX_TABLE_NAME_BYTES)) return name;
  throw new UnprocessableError('invalid-envelope', `a table's name has 1 to ${MAX_TABLE_NAME_BYTES} bytes`);
}

function metadataColumns(columns: JsonValue | undefined): readonly MetadataColumn[] {
  if (!isObject(columns)) throw new UnprocessableError('invalid-envelope', 'the metadata names no columns');
  return Object.entries(columns).map(([name, column]) => {
    if (!isObject(column)) throw new UnprocessableError('invalid-envelope', 'a column of the metadata is no object');
    const isNullable = member(column, 'null');
    return {
      name,
      type: declaredType(member(column, 'type')),
      null: typeof isNullable === 'boolean' ? isNullable : null,
      key: member(column, 'key') === true,
    };
  });
}

/** A JSON Schema type, alone or in a list with `null`; null where it is neither. */
export function declaredType(type: JsonValue | undefined): string | null {
  if (typeof type === 'string') return type;
  if (!Array.isArray(type)) return null;
  const [first, ...others] = type.filter((each: JsonValue) => each !== 'null');
  return typeof first === 'string' && others.length === 0 ? first : null;
}
