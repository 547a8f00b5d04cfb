import { type CursorStorage, type CursorVersion, cursorId, type FeedCursorDocument } from '../ingest/cursorStore.ts';
import { StoreUnavailableError } from './errors.ts';
import type { Operations } from './operations.ts';

const NOT_FOUND = 404;
/** Created, deleted or written by someone else in between. */
const CONFLICTS = new Set([NOT_FOUND, 409, 412]);

/** The change feed cursors in the container `cursors`. */
export class CursorStore implements CursorStorage {
  readonly #operations: Operations;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  async read(stream: string): Promise<CursorVersion | undefined> {
    const id = cursorId(stream);
    const [result] = await this.#operations.run([{ type: 'Read', partitionKey: [id], id }]);
    if (result?.status === NOT_FOUND) return undefined;
    if (result === undefined || result.status >= 300 || result.etag === undefined) {
      throw new StoreUnavailableError(`a change feed cursor could not be read: status ${result?.status}`);
    }
    return { document: result.document as FeedCursorDocument, etag: result.etag };
  }

  async write(document: FeedCursorDocument, etag: string | undefined): Promise<{ readonly etag: string } | 'conflict'> {
    const { id } = document;
    const target = { partitionKey: [id], id, document };
    const [result] = await this.#operations.run([
      etag === undefined ? { type: 'Create', ...target } : { type: 'Replace', ...target, ifMatch: etag },
    ]);
    if (result !== undefined && result.status < 300 && result.etag !== undefined) return { etag: result.etag };
    if (result !== undefined && CONFLICTS.has(result.status)) return 'conflict';
    throw new StoreUnavailableError(`a change feed cursor could not be written: status ${result?.status}`);
  }
}
