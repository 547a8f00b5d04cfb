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

/** The greatest `changeSequence` of the records that waited for one thing and have been replayed. */
export interface ReplayDocument extends CatalogDocument {
  readonly kind: 'qlik-replay';
  readonly waitingFor: string;
  readonly shown: string;
}

/** The latest full loads of a table, in the order in which they began. */
export interface LoadsDocument extends CatalogDocument {
  readonly kind: 'qlik-loads';
  /** `<schema>.<table>`. */
  readonly table: string;
  readonly loads: readonly TableLoad[];
}

export interface TableLoad {
  /** Number of the load among those of its table, in the order in which they were noticed. */
  readonly load: number;
  /** The greatest `changeSequence` that the stream had shown when it began. */
  readonly base: string;
  /** When its first and its last row so far arrived. */
  readonly startedAt: string;
  readonly lastRowAt: string;
}

export const PROGRESS_ID = 'qlik-progress';

export function versionId(schemaId: string): string {
  return `qlik-version:${rowId([schemaId])}`;
}

export function registeredSchemaId(registryId: number): string {
  return `qlik-registered-schema:${registryId}`;
}

export function replayId(waitingFor: string): string {
  return `qlik-replay:${rowId([waitingFor])}`;
}

export function loadsId(table: string): string {
  return `qlik-loads:${rowId([table])}`;
}

/** `table` with source and stream. */
export function tableId(table: string): string {
  return `table:${rowId([table])}`;
}
