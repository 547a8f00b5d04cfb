import type { Container, SqlQuerySpec } from '@azure/cosmos';
import { StoreUnavailableError } from './errors.ts';

/** The queries of one container, with one kind of error for all that can go wrong. */
export class Queries {
  readonly #container: Container;

  constructor(container: Container) {
    this.#container = container;
  }

  /** All results. `partitionKey` may be the first part of a hierarchical one. Throws StoreUnavailableError. */
  async all<Result>(query: SqlQuerySpec, partitionKey?: readonly string[]): Promise<Result[]> {
    const results: Result[] = [];
    for await (const page of this.pages<Result>(query, partitionKey)) results.push(...page);
    return results;
  }

  /** Results page by page, as large as the service makes them. Throws StoreUnavailableError. */
  async *pages<Result>(query: SqlQuerySpec, partitionKey?: readonly string[]): AsyncGenerator<readonly Result[]> {
    try {
      // As many as fit: pages end at the service's 4 MB anyway.
      const options = { maxItemCount: -1, ...(partitionKey === undefined ? {} : { partitionKey: [...partitionKey] }) };
      const pages = this.#container.items.query<Result>(query, options);
      for await (const { resources } of pages.getAsyncIterator()) yield resources;
    } catch (error) {
      throw new StoreUnavailableError(`a query of ${this.#container.id} failed`, { cause: error });
    }
  }
}
