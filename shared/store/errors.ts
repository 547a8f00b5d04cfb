/** Enough for what went wrong; the client appends whole responses to some of its messages. */
const MAX_CAUSE_CHARACTERS = 300;

/**
 * Thrown when Cosmos DB cannot be reached, keeps throttling, or answers what no retry will cure (401, 403, a missing
 * container). Nothing is wrong with the records: the batch has to come again.
 */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';

  /** The message ends in what the cause says, cut short: logs show messages, not causes. */
  constructor(what: string, options?: { readonly cause: unknown }) {
    const cause = options?.cause instanceof Error ? `: ${options.cause.message.slice(0, MAX_CAUSE_CHARACTERS)}` : '';
    super(`${what}${cause}`, options);
  }
}

/** Thrown when a large value is not in Blob Storage any more: no retry brings it back, but whoever removed it may. */
export class ValueGoneError extends StoreUnavailableError {
  override readonly name = 'ValueGoneError';
}
