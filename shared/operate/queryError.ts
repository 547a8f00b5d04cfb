/** Thrown when what was asked for cannot be understood; the message says what to change. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}

/** Thrown when what was asked for is not there. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}
