/** The names that the service puts into the `code` of an error body, by HTTP status. */
const CODES: Readonly<Record<number, string>> = {
  304: 'NotModified',
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'RequestEntityTooLarge',
  424: 'FailedDependency',
  429: 'TooManyRequests',
  500: 'InternalServerError',
};

/** Sub status codes of the service that the client library acts on. */
export const PARTITION_KEY_MISMATCH = 1001;
export const OWNER_NOT_FOUND = 1003;
export const REQUEST_RATE_TOO_LARGE = 3200;

export interface CosmosErrorOptions {
  readonly substatus?: number;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** An answer other than success: the HTTP status, and what the JSON body `{code, message}` says. */
export class CosmosError extends Error {
  override readonly name = 'CosmosError';
  readonly status: number;
  readonly code: string;
  readonly substatus: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, message: string, options: CosmosErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.code = CODES[status] ?? String(status);
    this.substatus = options.substatus;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export function badRequest(message: string, options?: CosmosErrorOptions): CosmosError {
  return new CosmosError(400, message, options);
}

export function documentNotFound(): CosmosError {
  return new CosmosError(404, 'Entity with the specified id does not exist in the system.');
}

export function ownerNotFound(kind: string, id: string): CosmosError {
  return new CosmosError(404, `Owner resource does not exist: no ${kind} named '${id}'.`, {
    substatus: OWNER_NOT_FOUND,
  });
}

export function conflict(): CosmosError {
  return new CosmosError(409, 'Entity with the specified id already exists in the system.');
}

export function preconditionFailed(): CosmosError {
  return new CosmosError(412, 'One of the specified pre-condition is not met.');
}

export function tooLarge(message: string): CosmosError {
  return new CosmosError(413, message);
}

/** Where an unexpected exception is the fault of the request: too deep for the stack. */
export function fromUnexpected(error: unknown): CosmosError {
  if (error instanceof CosmosError) return error;
  if (error instanceof RangeError) return badRequest('The request is nested too deeply.', { cause: error });
  const text = error instanceof Error ? error.message : String(error);
  return new CosmosError(500, `The local gateway failed: ${text}`, { cause: error });
}
