import { setTimeout as delay } from 'node:timers/promises';
import { FunctionFailedError, InvocationCancelledError } from './errors.ts';
import { type DeclaredRetry, type RetryContext, type RpcException, toRpcException } from './rpc.ts';

/** Retry policy of a function; `maxRetryCount` -1 means without end, delays in milliseconds. */
export type RetryPolicy =
  | { readonly strategy: 'fixedDelay'; readonly maxRetryCount: number; readonly delayMs: number }
  | {
      readonly strategy: 'exponentialBackoff';
      readonly maxRetryCount: number;
      readonly minimumMs: number;
      readonly maximumMs: number;
    };

const ENDLESS = -1;
const JITTER_FROM = 0.8;
const JITTER_WIDTH = 0.4;

/** Checks a policy as the app declared it. Throws Error with what is wrong. */
export function readRetryPolicy(declared: DeclaredRetry | undefined): RetryPolicy | undefined {
  if (declared === undefined) {
    return undefined;
  }
  const { strategy, maxRetryCount, delayMs, minimumMs, maximumMs } = declared;
  if (!Number.isInteger(maxRetryCount) || maxRetryCount < ENDLESS) {
    throw new Error(`retry.maxRetryCount must be a whole number from ${ENDLESS}, not ${maxRetryCount}`);
  }
  if (strategy === 'fixedDelay') {
    if (delayMs === undefined || !(delayMs >= 0)) {
      throw new Error('retry.delayInterval must be given for fixedDelay');
    }
    return { strategy, maxRetryCount, delayMs };
  }
  if (strategy === 'exponentialBackoff') {
    if (minimumMs === undefined || maximumMs === undefined || !(minimumMs >= 0) || !(maximumMs >= minimumMs)) {
      throw new Error('retry.minimumInterval and a maximumInterval not below it must be given for exponentialBackoff');
    }
    return { strategy, maxRetryCount, minimumMs, maximumMs };
  }
  throw new Error(`retry.strategy "${strategy}" is unknown`);
}

/**
 * Milliseconds before retry number `retryCount` (from 1). The exponential form doubles from the minimum, with 20 percent
 * of jitter on what it adds to it; `random` is in [0, 1).
 */
export function retryDelayMs(policy: RetryPolicy, retryCount: number, random = Math.random()): number {
  if (policy.strategy === 'fixedDelay') {
    return policy.delayMs;
  }
  const growth = policy.minimumMs * (2 ** (retryCount - 1) - 1) * (JITTER_FROM + random * JITTER_WIDTH);
  return Math.min(policy.minimumMs + growth, policy.maximumMs);
}

function exceptionOf(error: unknown): RpcException {
  return error instanceof FunctionFailedError ? error.exception : toRpcException(error);
}

export interface RetryHooks {
  /** Ends the waiting: no further attempt is made. */
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown, retryCount: number) => void;
}

/**
 * Runs `attempt` until it succeeds or the policy ends. The first attempt has no retry context; the n-th retry has
 * `retryCount` n and the exception of the attempt before. Rejects with the last error, or with
 * {@link InvocationCancelledError} when the signal came before the outcome was final.
 */
export async function runWithRetry<T>(
  policy: RetryPolicy | undefined,
  attempt: (retryContext: RetryContext | undefined) => Promise<T>,
  { signal, onFailure }: RetryHooks,
): Promise<T> {
  let retryContext: RetryContext | undefined;
  for (let retryCount = 0; ; retryCount += 1) {
    try {
      return await attempt(retryContext);
    } catch (error) {
      onFailure(error, retryCount);
      if (signal.aborted || error instanceof InvocationCancelledError) {
        throw new InvocationCancelledError('The host closed before the retries had ended.', { cause: error });
      }
      if (policy === undefined || (policy.maxRetryCount !== ENDLESS && retryCount >= policy.maxRetryCount)) {
        throw error;
      }
      retryContext = {
        retryCount: retryCount + 1,
        maxRetryCount: policy.maxRetryCount,
        exception: exceptionOf(error),
      };
      await delay(retryDelayMs(policy, retryCount + 1), undefined, { signal }).catch(() => {
        throw new InvocationCancelledError('The host closed before the retries had ended.', { cause: error });
      });
    }
  }
}
