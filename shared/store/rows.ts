import { type HoldsPointers, listed, revived } from '../change/largeValue.ts';
import type { RowDocument } from '../change/rowDocument.ts';
import { StoreUnavailableError } from './errors.ts';
import type { OperationResult } from './operation.ts';
import type { Operations } from './operations.ts';

export interface RowAddress {
  readonly table: string;
  readonly id: string;
}

export interface StoredRow {
  readonly document: RowDocument;
  readonly etag: string;
}

/** A row to write, and the version that it was made from; undefined where there was none. */
export interface RowWrite {
  readonly document: RowDocument;
  readonly etag: string | undefined;
}

/** `conflict`: someone else wrote the row since it was read; read and merge again. */
export type Written = 'written' | 'conflict' | { readonly rejected: number };

const NOT_FOUND = 404;
/** Created, deleted or written by someone else in between. */
const CONFLICTS = new Set([NOT_FOUND, 409, 412]);

/** The container `rows`: the converged current state. */
export class RowStore {
  readonly #operations: Operations;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  /** Reads rows in the order of `addresses`; undefined for a row that is not there. Throws StoreUnavailableError. */
  async read(addresses: readonly RowAddress[]): Promise<(StoredRow | undefined)[]> {
    const operations = addresses.map(({ table, id }) => ({ type: 'Read' as const, partitionKey: [table, id], id }));
    return (await this.#operations.run(operations)).map(toStoredRow);
  }

  /** Writes rows, each only if it is still the version that was read. Throws StoreUnavailableError. */
  async write(rows: readonly RowWrite[]): Promise<Written[]> {
    const operations = rows.map(({ document, etag }) => ({
      type: etag === undefined ? ('Create' as const) : ('Replace' as const),
      partitionKey: [document.table, document.id],
      id: document.id,
      document: listed(document),
      ...(etag === undefined ? {} : { ifMatch: etag }),
    }));
    return (await this.#operations.run(operations)).map(toWritten);
  }
}

function toStoredRow({ status, document, etag }: OperationResult): StoredRow | undefined {
  if (status === NOT_FOUND) return undefined;
  if (status >= 300 || etag === undefined) throw new StoreUnavailableError(`a row could not be read: status ${status}`);
  return { document: revived(document as RowDocument & HoldsPointers), etag };
}

function toWritten({ status }: OperationResult): Written {
  if (status < 300) return 'written';
  return CONFLICTS.has(status) ? 'conflict' : { rejected: status };
}
