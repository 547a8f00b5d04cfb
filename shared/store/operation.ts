import type { OperationInput } from '@azure/cosmos';

/** One point operation. */
export interface Operation {
  readonly type: 'Create' | 'Replace' | 'Upsert' | 'Read' | 'Delete';
  readonly partitionKey: readonly string[];
  readonly id: string;
  readonly document?: object;
  readonly ifMatch?: string;
}

export interface OperationResult {
  readonly status: number;
  readonly document?: unknown;
  readonly etag?: string;
}

/** What the service answers for one operation. */
export interface OperationResponse {
  readonly statusCode: number;
  readonly requestCharge?: number;
  readonly retryAfterMilliseconds?: number;
  readonly eTag?: string;
  readonly resourceBody?: unknown;
}

/** The service takes at most this many operations in a request. */
export const OPERATIONS_PER_REQUEST = 100;
export const THROTTLED = 429;
/** Of an operation whose transaction ended because of another one. */
export const FAILED_DEPENDENCY = 424;
/** Statuses that say "again": too many requests, retry with, unavailable, gone (a partition moved), not this one's turn. */
export const TRANSIENT = new Set([THROTTLED, 449, 503, 410, 408, FAILED_DEPENDENCY]);
const SUCCEEDED_BELOW = 300;

export function hasSucceeded(status: number): boolean {
  return status < SUCCEEDED_BELOW;
}

/** Whether another attempt would be answered the same because of what the operation is. */
export function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 403 && !TRANSIENT.has(status);
}

export function toResult(response: OperationResponse): OperationResult {
  return {
    status: response.statusCode,
    ...(response.resourceBody === undefined ? {} : { document: response.resourceBody }),
    ...(response.eTag === undefined ? {} : { etag: response.eTag }),
  };
}

type Body = Extract<OperationInput, { operationType: 'Replace' }>['resourceBody'];

export function bodyOf(operation: Operation): Body {
  return operation.document as Body;
}
