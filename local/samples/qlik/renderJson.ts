import type { Columns, JsonValue } from '../../../shared/change/json.ts';
import { dataSchemaOf, messageSchemaOf } from './avroSchemas.ts';
import { headersOf, type QlikEvent, type QlikTable } from './qlikEvent.ts';

/** A metadata message in JSON, in its envelope. */
export function metadataJson(table: QlikTable): string {
  return JSON.stringify({
    magic: 'atMSG',
    type: 'MD',
    headers: null,
    messageSchemaId: table.schemaId,
    messageSchema: JSON.stringify(messageSchemaOf(table)),
    message: metadataOf(table),
  });
}

/** A data message in JSON, in its envelope. */
export function dataJson(event: QlikEvent): string {
  return JSON.stringify({
    magic: 'atMSG',
    type: 'DT',
    headers: null,
    messageSchemaId: event.table.schemaId,
    messageSchema: null,
    message: contentOf(event),
  });
}

/** What the envelope of a data message holds. */
export function contentOf(event: QlikEvent) {
  return {
    data: jsonRow(event.data, event),
    beforeData: jsonRow(event.beforeData, event),
    headers: headersOf(event),
  };
}

/** What the envelope of a metadata message holds. */
export function metadataOf(table: QlikTable) {
  const { schemaId, schema, tableVersion, columns } = table;
  return {
    schemaId,
    lineage: {
      server: 'replicate-1',
      task: 'hr to cosmos',
      schema,
      table: table.table,
      tableVersion,
      timestamp: '2024-05-01T10:20:30.123',
    },
    tableStructure: {
      tableColumns: Object.fromEntries(
        columns.map(({ name, type, precision = 0, scale = 0, keyPosition = 0 }, index) => [
          name,
          { ordinal: index + 1, type, length: 10, precision, scale, primaryKeyPosition: keyPosition },
        ]),
      ),
    },
    dataSchema: JSON.stringify(dataSchemaOf(table)),
  };
}

function jsonRow(row: Columns | null, { table, uncaptured }: QlikEvent): Columns | null {
  if (row === null) return null;
  return Object.fromEntries(
    table.columns.map(({ name, type }): [string, JsonValue] => [
      name,
      uncaptured?.has(name) ? null : jsonValue(row[name] ?? null, type),
    ]),
  );
}

function jsonValue(value: JsonValue, type: string): JsonValue {
  if (type === 'DATETIME' && typeof value === 'string') return value.replace('T', ' ');
  return type === 'UINT8' && value !== null ? String(value) : value;
}
