import type { PosEvent, PosTable } from './posEvent.ts';

/** How a Data Stream would send `event`: a record of its array, which `JSON.stringify` writes digit for digit. */
export function dataRecord({ table, op, time, transaction, sequence, before, after }: PosEvent): object {
  return {
    qual_table: table.name,
    op_type: op,
    op_ts: time.replace('.000Z', '.000000Z'),
    pos: positionOf(sequence, transaction),
    xid: transaction,
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  };
}

export function metadataRecord({ name, columns }: PosTable): object {
  const described = Object.entries(columns).map(([column, { type, key = false }]): [string, object] => [
    column,
    { type, null: !key, key },
  ]);
  return { op_type: 'OBJECT_METADATA', qual_table: name, columns: Object.fromEntries(described) };
}

export const STREAM_RECORD: object = {
  op_type: 'STREAM_METADATA',
  producer: { name: 'Oracle GoldenGate Data Streams', version: '26.0' },
  database: { name: 'POS', version: '26', charset: 'UTF-8', timeZone: 'UTC' },
  machine: { node: 'till' },
  source: { file: 'ea', creationTime: '2026-07-13T04:00:00.000000Z' },
};

/** The schema that precedes the rows of a table. */
export function schemaRecord({ name, columns }: PosTable): object {
  const image = {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(columns).map(([column, { type }]) => [column, { type: [type, 'null'] }]),
    ),
  };
  return {
    id: `urn:goldengate:dml:${name}`,
    title: name,
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
    properties: { qual_table: { type: 'string' }, before: image, after: image },
    required: ['qual_table', 'op_type', 'op_ts', 'xid', 'pos'],
    additionalProperties: true,
  };
}

/** Opaque, and ordered by nothing that a reader can see. */
function positionOf(sequence: number, transaction: string): string {
  const binary = Buffer.alloc(25);
  binary.writeUInt32LE(sequence, 4);
  return `G-${binary.toString('base64')}${4_558_542_858_495_317 + sequence}${transaction}`;
}
