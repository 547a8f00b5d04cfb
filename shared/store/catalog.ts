import type { CatalogDocument, CatalogStorage, CatalogVersion } from '../ingest/catalogStore.ts';
import { StoreUnavailableError } from './errors.ts';
import type { Operations } from './operations.ts';

const NOT_FOUND = 404;
/** Created, deleted or written by someone else in between. */
const CONFLICTS = new Set([NOT_FOUND, 409, 412]);

/** The container `catalog`. */
export class CatalogStore implements CatalogStorage {
  readonly #operations: Operations;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  async read<Document extends CatalogDocument>(
    stream: string,
    id: string,
  ): Promise<CatalogVersion<Document> | undefined> {
    const [result] = await this.#operations.run([{ type: 'Read', partitionKey: [stream], id }]);
    if (result?.status === NOT_FOUND) return undefined;
    if (result === undefined || result.status >= 300 || result.etag === undefined) {
      throw new StoreUnavailableError(`a catalog entry could not be read: status ${result?.status}`);
    }
    return { document: result.document as Document, etag: result.etag };
  }

  async write(document: CatalogDocument, etag: string | undefined): Promise<'written' | 'conflict'> {
    const target = { partitionKey: [document.stream], id: document.id, document };
    const [result] = await this.#operations.run([
      etag === undefined ? { type: 'Create', ...target } : { type: 'Replace', ...target, ifMatch: etag },
    ]);
    if (result !== undefined && result.status < 300) return 'written';
    if (result !== undefined && CONFLICTS.has(result.status)) return 'conflict';
    throw new StoreUnavailableError(`a catalog entry could not be written: status ${result?.status}`);
  }
}
