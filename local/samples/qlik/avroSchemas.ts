import type { Schema } from 'avsc';
import type { QlikColumn, QlikTable } from './qlikEvent.ts';

/** The envelope, as Qlik documents it. */
export const ENVELOPE_SCHEMA: Schema = {
  type: 'record',
  name: 'MessageEnvelope',
  fields: [
    { name: 'magic', type: { type: 'fixed', name: 'Magic', size: 5 } },
    { name: 'type', type: 'string' },
    { name: 'headers', type: ['null', { type: 'map', values: 'string' }] },
    { name: 'messageSchemaId', type: ['null', 'string'] },
    { name: 'messageSchema', type: ['null', 'string'] },
    { name: 'message', type: 'bytes' },
  ],
};

const PLAIN = (type: string) => ({ type });

/** The Avro type of a column's values, in the long form that Replicate writes. */
export function avroTypeOf({ type, precision, scale }: QlikColumn) {
  switch (type) {
    case 'BOOLEAN':
      return PLAIN('boolean');
    case 'INT1':
    case 'INT2':
    case 'INT4':
    case 'UINT1':
    case 'UINT2':
      return PLAIN('int');
    case 'INT8':
    case 'UINT4':
      return PLAIN('long');
    case 'REAL4':
      return PLAIN('float');
    case 'REAL8':
      return PLAIN('double');
    case 'DATE':
      return { type: 'int', logicalType: 'date' };
    case 'TIME':
      return { type: 'int', logicalType: 'time-millis' };
    case 'DATETIME':
      return { type: 'long', logicalType: 'timestamp-micros' };
    case 'UINT8':
      return { type: 'bytes', logicalType: 'decimal', precision: 20, scale: 0 };
    case 'NUMERIC':
      return { type: 'bytes', logicalType: 'decimal', precision: precision ?? 38, scale: scale ?? 0 };
    case 'BYTES':
    case 'BLOB':
      return PLAIN('bytes');
    default:
      return PLAIN('string');
  }
}

const nullable = (type: object | string) => ['null', type];
const field = (name: string, type: object | string) => ({ name, type });

/** The schema of a table's data messages. */
export function dataSchemaOf({ columns }: QlikTable) {
  const data = {
    type: 'record',
    name: 'Data',
    fields: columns.map((column) => field(column.name, nullable(avroTypeOf(column)))),
  };
  const operation = { type: 'enum', name: 'operation', symbols: ['INSERT', 'UPDATE', 'DELETE', 'REFRESH'] };
  const headers = {
    type: 'record',
    name: 'Headers',
    fields: [
      field('operation', operation),
      ...['changeSequence', 'timestamp', 'streamPosition', 'transactionId'].map((name) => field(name, PLAIN('string'))),
      field('changeMask', nullable(PLAIN('bytes'))),
      field('columnMask', nullable(PLAIN('bytes'))),
      field('externalSchemaId', nullable(PLAIN('string'))),
      field('transactionEventCounter', nullable(PLAIN('long'))),
      field('transactionLastEvent', nullable(PLAIN('boolean'))),
    ],
  };
  return {
    type: 'record',
    name: 'DataRecord',
    fields: [field('data', data), field('beforeData', nullable('Data')), field('headers', headers)],
  };
}

/** The schema of a table's metadata messages: each column is a record of its own, named after it. */
export function messageSchemaOf({ columns }: QlikTable) {
  const record = (name: string, fields: readonly object[]) => ({ type: 'record', name, fields });
  const strings = (names: readonly string[]) => names.map((name) => field(name, PLAIN('string')));
  const ints = (names: readonly string[]) => names.map((name) => field(name, PLAIN('int')));
  const tableColumns = columns.map(({ name }) =>
    field(
      name,
      record(name, [
        ...ints(['ordinal']),
        ...strings(['type']),
        ...ints(['length', 'precision', 'scale', 'primaryKeyPosition']),
      ]),
    ),
  );
  return record('MetadataMessage', [
    ...strings(['schemaId']),
    field(
      'lineage',
      record('Lineage', [
        ...strings(['server', 'task', 'schema', 'table']),
        field('tableVersion', PLAIN('long')),
        ...strings(['timestamp']),
      ]),
    ),
    field('tableStructure', record('TableStructure', [field('tableColumns', record('TableColumns', tableColumns))])),
    ...strings(['dataSchema']),
  ]);
}
