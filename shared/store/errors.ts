/**
 * Thrown when Cosmos DB cannot be reached, keeps throttling, or answers what no retry will cure (401, 403, a missing
 * container). Nothing is wrong with the records: the batch has to come again.
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
