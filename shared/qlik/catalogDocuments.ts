import { rowId } from '../change/keys.ts';
import type { CatalogDocument } from '../ingest/catalogStore.ts';
import type { ColumnMetadata, TableVersion } from './metadata.ts';

/** One version of a table, as its metadata message described it. */
export interface VersionDocument extends CatalogDocument {
  readonly kind: 'qlik-version';
  readonly source: 'qlik';
  readonly schemaId: string;
  /** `qlik/<stream>/<schema>.<table>`; null where the metadata names no table. */
  readonly table: string | null;
  readonly version: TableVersion;
  readonly receivedAt: string;
}

/** A table: its newest version, and the ids of all. */
export interface TableDocument extends CatalogDocument {
  readonly kind: 'table';
  readonly source: 'qlik';
  readonly table: string;
  readonly columns: readonly ColumnMetadata[];
  readonly key: readonly string[];
  /** `metadata`: as a metadata message has it. `delete`: learnt from a DELETE's mask, for want of metadata. */
  readonly keyFrom: 'metadata' | 'delete';
  readonly versions: readonly { readonly schemaId: string; readonly tableVersion: number | null }[];
  readonly updatedAt: string;
}

/** A schema that somebody registered for messages framed by a schema registry. */
export interface RegisteredSchemaDocument extends CatalogDocument {
  readonly kind: 'qlik-registered-schema';
  readonly source: 'qlik';
  /** The number in front of the messages. */
  readonly registryId: number;
  readonly schema: string;
  /** `<schema>.<table>` of its messages, and their key, where whoever registered it said so. */
  readonly table: string | null;
  readonly key: readonly string[] | null;
  readonly updatedAt: string;
}

/** How far the stream has come: the greatest `changeSequence` that it has shown. */
export interface ProgressDocument extends CatalogDocument {
  readonly kind: 'qlik-progress';
  readonly greatestSequence: string;
}

/** The last full load of a table. */
export interface LoadDocument extends CatalogDocument {
  readonly kind: 'qlik-load';
  /** `<schema>.<table>`. */
  readonly table: string;
  /** Loads of the table so far. */
  readonly load: number;
  /** The greatest `changeSequence` that the stream had shown when it began. */
  readonly base: string;
  readonly startedAt: string;
  /** When its last row so far arrived. */
  readonly lastRowAt: string;
}

export const PROGRESS_ID = 'qlik-progress';

export function versionId(schemaId: string): string {
  return `qlik-version:${rowId([schemaId])}`;
}

export function registeredSchemaId(registryId: number): string {
  return `qlik-registered-schema:${registryId}`;
}

export function loadId(table: string): string {
  return `qlik-load:${rowId([table])}`;
}

/** `table` with source and stream. */
export function tableId(table: string): string {
  return `table:${rowId([table])}`;
}
