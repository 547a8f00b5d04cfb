import { rowId } from '../change/keys.ts';
import type { SchemaName } from './openRecord.ts';

/** The name of what parked records wait for: one of these three kinds, of one stream. */
export function waitForSchema(stream: string, name: SchemaName): string {
  const schema = name.from === 'metadata' ? `version/${rowId([name.schemaId])}` : `registered/${name.registryId}`;
  return `qlik/${stream}/${schema}`;
}

/** Waits for a table's key; without a table, for a setting that names it. */
export function waitForTable(stream: string, table: string | null): string {
  return table === null ? `qlik/${stream}/table` : `qlik/${stream}/table/${rowId([table])}`;
}
