import type { Columns } from '../../../shared/change/json.ts';

export interface QlikColumn {
  readonly name: string;
  /** As Replicate names it: `INT4`, `NUMERIC`, … */
  readonly type: string;
  readonly precision?: number;
  readonly scale?: number;
  /** From 1 for columns of the key. */
  readonly keyPosition?: number;
}

/** One version of a table of a sample task. */
export interface QlikTable {
  readonly schema: string;
  readonly table: string;
  readonly tableVersion: number;
  /** 32 upper-case hexadecimal digits. */
  readonly schemaId: string;
  readonly columns: readonly QlikColumn[];
}

/** One data message. Rows hold exact values: what `rows` documents must show in the end. */
export interface QlikEvent {
  readonly table: QlikTable;
  readonly operation: 'REFRESH' | 'INSERT' | 'UPDATE' | 'DELETE';
  readonly data: Columns | null;
  readonly beforeData: Columns | null;
  /** Columns that the source could not capture: null in the message, and not in its `columnMask`. */
  readonly uncaptured?: ReadonlySet<string>;
  /** 35 digits; not of a REFRESH. */
  readonly changeSequence?: string;
  /** `YYYY-MM-DDThh:mm:ss.mmm`. */
  readonly timestamp?: string;
  readonly transactionId?: string;
  readonly transactionEventCounter?: number;
  readonly transactionLastEvent?: boolean;
}

/** The headers as the JSON form has them. */
export function headersOf(event: QlikEvent) {
  const isLoad = event.operation === 'REFRESH';
  return {
    operation: event.operation,
    changeSequence: event.changeSequence ?? '',
    timestamp: event.timestamp ?? '',
    streamPosition: isLoad ? '' : `mysql-bin.000004:4998:18:5373:${event.changeSequence?.slice(-6)}`,
    transactionId: event.transactionId ?? '',
    changeMask: isLoad ? null : maskOf(event.table, changedColumns(event)),
    columnMask: isLoad ? null : maskOf(event.table, (name) => event.uncaptured?.has(name) !== true),
    externalSchemaId: null,
    transactionEventCounter: event.transactionEventCounter ?? null,
    transactionLastEvent: event.transactionLastEvent ?? null,
  };
}

function changedColumns({ operation, table, data, beforeData }: QlikEvent): (name: string) => boolean {
  if (operation === 'INSERT') return () => true;
  if (operation === 'DELETE')
    return (name) => table.columns.some((column) => column.name === name && column.keyPosition !== undefined);
  return (name) => data?.[name] !== beforeData?.[name];
}

/** A hexadecimal number with one bit per column, as long as Replicate makes it. */
function maskOf({ columns }: QlikTable, isMarked: (name: string) => boolean): string {
  const mask = columns.reduce((sum, { name }, index) => (isMarked(name) ? sum | (1n << BigInt(index)) : sum), 0n);
  const bytes = Math.floor(columns.length / 8) + 1;
  return mask
    .toString(16)
    .toUpperCase()
    .padStart(bytes * 2, '0');
}
