import avro, { type Schema, type Type } from 'avsc';
import { LONG_TYPE } from '../../../shared/ces/avroTypes.ts';
import type { Columns, JsonValue } from '../../../shared/change/json.ts';
import { dataSchemaOf, ENVELOPE_SCHEMA, messageSchemaOf } from './avroSchemas.ts';
import { headersOf, type QlikColumn, type QlikEvent, type QlikTable } from './qlikEvent.ts';
import { metadataOf } from './renderJson.ts';

const MAGIC = Buffer.from('atMSG');
const ENVELOPE = avro.Type.forSchema(ENVELOPE_SCHEMA, { wrapUnions: false });
const MICROS_PER_SECOND = 1_000_000n;
const MS_PER_DAY = 86_400_000;

const types = new WeakMap<QlikTable, Type>();

/** A metadata message in Avro, in its envelope. */
export function metadataAvro(table: QlikTable): Buffer {
  const schema = messageSchemaOf(table);
  const { lineage, ...rest } = metadataOf(table);
  const content = { ...rest, lineage: { ...lineage, tableVersion: BigInt(lineage.tableVersion) } };
  return envelope('MD', table.schemaId, JSON.stringify(schema), typeOf(schema).toBuffer(content));
}

/** A data message in Avro, in its envelope. */
export function dataAvro(event: QlikEvent): Buffer {
  return envelope('DT', event.table.schemaId, null, dataRecordAvro(event));
}

/** The data record alone, as a schema registry frames it. `swapsMasks`: masks with their least significant byte first. */
export function dataRecordAvro(event: QlikEvent, swapsMasks = false): Buffer {
  const headers = headersOf(event);
  const mask = (hex: string | null) => {
    if (hex === null) return null;
    const bytes = Buffer.from(hex, 'hex');
    return swapsMasks ? bytes.reverse() : bytes;
  };
  const counter = headers.transactionEventCounter;
  const type = types.get(event.table) ?? typeOf(dataSchemaOf(event.table));
  types.set(event.table, type);
  return type.toBuffer({
    data: avroRow(event.data ?? {}, event),
    beforeData: event.beforeData && avroRow(event.beforeData, event),
    headers: {
      ...headers,
      changeMask: mask(headers.changeMask),
      columnMask: mask(headers.columnMask),
      transactionEventCounter: counter === null ? null : BigInt(counter),
    },
  });
}

function typeOf(schema: object): Type {
  // The library finds exact 64-bit numbers in its registry only where the type stands as a bare name.
  const isLong = (value: unknown) =>
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'long';
  const bare: Schema = JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    return isLong(value) && !('name' in (value as object)) ? 'long' : value;
  });
  return avro.Type.forSchema(bare, { registry: { long: LONG_TYPE }, wrapUnions: false });
}

function envelope(type: 'MD' | 'DT', schemaId: string, messageSchema: string | null, message: Buffer): Buffer {
  return ENVELOPE.toBuffer({ magic: MAGIC, type, headers: null, messageSchemaId: schemaId, messageSchema, message });
}

function avroRow(row: Columns, { table, uncaptured }: QlikEvent): object {
  return Object.fromEntries(
    table.columns.map((column) => {
      const value = uncaptured?.has(column.name) ? null : (row[column.name] ?? null);
      return [column.name, value === null ? null : avroValue(value, column)];
    }),
  );
}

function avroValue(value: JsonValue, { type, scale = 0 }: QlikColumn): unknown {
  const text = String(value);
  switch (type) {
    case 'INT8':
    case 'UINT4':
      return BigInt(text);
    case 'DATE':
      return daysOf(text);
    case 'TIME':
      return Date.parse(`1970-01-01T${text}Z`);
    case 'DATETIME':
      return microsOf(text);
    case 'UINT8':
    case 'NUMERIC':
      return twosComplement(unscaled(text, type === 'UINT8' ? 0 : scale));
    case 'BYTES':
    case 'BLOB':
      return Buffer.from(text, 'hex');
    default:
      return value;
  }
}

function daysOf(date: string): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return Date.UTC(year, month - 1, day) / MS_PER_DAY;
}

function microsOf(moment: string): bigint {
  const [date = '', clock = ''] = moment.split('T');
  const [time = '', fraction = ''] = clock.split('.');
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const whole = BigInt(daysOf(date)) * 86_400n + BigInt(hours * 3600 + minutes * 60 + seconds);
  return whole * MICROS_PER_SECOND + BigInt(fraction.padEnd(6, '0'));
}

function unscaled(text: string, scale: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

/** The shortest big-endian two's-complement form. */
function twosComplement(value: bigint): Buffer {
  let bytes = 1;
  while (BigInt.asIntN(bytes * 8, value) !== value) bytes++;
  const hex = BigInt.asUintN(bytes * 8, value)
    .toString(16)
    .padStart(bytes * 2, '0');
  return Buffer.from(hex, 'hex');
}
