import type { Columns } from '../../shared/change/json.ts';

/** A table of a sample database, as its events describe it. */
export interface SampleTable {
  readonly db: string;
  readonly schema: string;
  readonly tbl: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly key: readonly string[];
  /** The first part of the `logicalid` of its events, which is one GUID per table as far as anybody has seen. */
  readonly logicalPrefix: string;
}

/** One row change as a SQL Server would stream it. Rows hold exact values: what `rows` documents must show in the end. */
export interface SampleEvent {
  readonly id: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  readonly operation: 'INS' | 'UPD' | 'DEL';
  readonly table: SampleTable;
  /** Names of the columns in `cols`: all, or the key and the changed ones. */
  readonly sentColumns: readonly string[];
  readonly keys: Columns;
  /** `VVVVVVVV:BBBBBBBB:SSSS`. */
  readonly commitLsn: string;
  readonly beginLsn: string;
  readonly sequenceNumber: number;
  readonly old: Columns | null;
  readonly current: Columns | null;
}

/** What joins the segments of a split event: the table's GUID, commit LSN and sequence number. */
export function logicalIdOf({ table, commitLsn, sequenceNumber }: SampleEvent): string {
  return `${table.logicalPrefix}:${commitLsn.replaceAll(':', '')}:${String(sequenceNumber).padStart(20, '0')}`;
}
