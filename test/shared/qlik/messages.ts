import assert from 'node:assert/strict';
import type { QlikColumn, QlikEvent, QlikTable } from '../../../local/samples/qlik/qlikEvent.ts';
import type { Columns } from '../../../shared/change/json.ts';
import { type DeadLetterReason, UnprocessableError } from '../../../shared/ingest/reasons.ts';

/** The reason with which `work` refuses its input. */
export function reasonOf(work: () => unknown): DeadLetterReason {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof UnprocessableError, `unexpected ${error}`);
    return error.reason;
  }
  assert.fail('nothing was refused');
}

/** A table with the key `ID`. */
export function tableOf(table: string, columns: readonly QlikColumn[], tableVersion = 1): QlikTable {
  const schemaId = Buffer.from(`${table}/${tableVersion}`).toString('hex').toUpperCase().padStart(32, '0').slice(-32);
  return {
    schema: 'hr',
    table,
    tableVersion,
    schemaId,
    columns: [{ name: 'ID', type: 'INT4', keyPosition: 1 }, ...columns],
  };
}

export const NAME: QlikColumn = { name: 'NAME', type: 'STRING' };
export const PRICE: QlikColumn = { name: 'PRICE', type: 'NUMERIC', precision: 10, scale: 2 };

/** 35 digits. */
export function sequenceOf(at: number): string {
  return `2024050110203000${String(at).padStart(19, '0')}`;
}

/** A captured change, or a row of a load for `REFRESH`. */
export function eventOf(
  table: QlikTable,
  operation: QlikEvent['operation'],
  at: number,
  data: Columns | null,
  beforeData: Columns | null = null,
): QlikEvent {
  if (operation === 'REFRESH') return { table, operation, data, beforeData };
  return {
    table,
    operation,
    data,
    beforeData,
    changeSequence: sequenceOf(at),
    timestamp: '2024-05-01T10:20:30.000',
    transactionId: '00000000000000000000000000060008',
    transactionEventCounter: 1,
    transactionLastEvent: true,
  };
}

/** A data message by hand: no envelope's metadata, no table. Whatever is given replaces the usual. */
export function bareMessage(parts: {
  readonly data?: unknown;
  readonly beforeData?: unknown;
  readonly headers?: { readonly [name: string]: unknown };
  readonly [name: string]: unknown;
}): object {
  const { headers, ...rest } = parts;
  return {
    data: null,
    beforeData: null,
    ...rest,
    headers: {
      operation: 'UPDATE',
      changeSequence: sequenceOf(5),
      timestamp: '2024-05-01T10:20:30.000',
      streamPosition: 'p',
      transactionId: '00000000000000000000000000060008',
      changeMask: null,
      columnMask: null,
      transactionEventCounter: 1,
      transactionLastEvent: true,
      ...headers,
    },
  };
}

export function envelope(message: unknown, type = 'DT', messageSchemaId: string | null = null): object {
  return { magic: 'atMSG', type, headers: null, messageSchemaId, messageSchema: null, message };
}
