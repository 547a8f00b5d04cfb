import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FunctionFailedError, InvocationCancelledError } from '../../../local/host/errors.ts';
import { type RetryPolicy, readRetryPolicy, retryDelayMs, runWithRetry } from '../../../local/host/retryPolicy.ts';
import type { RetryContext } from '../../../local/host/rpc.ts';

const QUICK: RetryPolicy = { strategy: 'fixedDelay', maxRetryCount: 2, delayMs: 1 };

function failing(text: string) {
  return new FunctionFailedError('f', { message: text, source: 'Error', stackTrace: '' });
}

async function contextsOf(policy: RetryPolicy | undefined, failures: number) {
  const contexts: (RetryContext | undefined)[] = [];
  const hooks = { signal: new AbortController().signal, onFailure: () => undefined };
  const attempt = async (context: RetryContext | undefined) => {
    contexts.push(context);
    if (contexts.length <= failures) {
      throw failing(`failure ${contexts.length}`);
    }
    return 'done';
  };
  const outcome = await runWithRetry(policy, attempt, hooks).catch((error: Error) => error.message);
  return { outcome, contexts };
}

const retried = (retryCount: number, maxRetryCount: number) => ({
  retryCount,
  maxRetryCount,
  exception: { message: `failure ${retryCount}`, source: 'Error', stackTrace: '' },
});

describe('a retry policy', () => {
  test('each retry knows its number and the exception before it; the first attempt knows nothing', async () => {
    assert.deepEqual(await contextsOf(QUICK, 2), {
      outcome: 'done',
      contexts: [undefined, retried(1, 2), retried(2, 2)],
    });
  });

  test('after the last retry the last error comes out', async () => {
    assert.deepEqual(await contextsOf(QUICK, 9), {
      outcome: 'Function f failed: failure 3',
      contexts: [undefined, retried(1, 2), retried(2, 2)],
    });
  });

  test('without a policy there is one attempt', async () => {
    assert.deepEqual(await contextsOf(undefined, 1), {
      outcome: 'Function f failed: failure 1',
      contexts: [undefined],
    });
  });

  test('-1 retries without end', async () => {
    const { outcome, contexts } = await contextsOf({ ...QUICK, maxRetryCount: -1, delayMs: 0 }, 100);
    assert.deepEqual([outcome, contexts.length, contexts.at(-1)], ['done', 101, retried(100, -1)]);
  });

  test('the exponential delay doubles from the minimum up to the maximum, below one second too', () => {
    const policy: RetryPolicy = { strategy: 'exponentialBackoff', maxRetryCount: -1, minimumMs: 100, maximumMs: 1_000 };
    assert.deepEqual(
      [1, 2, 3, 4, 5, 5_000].map((count) => retryDelayMs(policy, count, 0.5)),
      [100, 200, 400, 800, 1_000, 1_000],
    );
    assert.equal(retryDelayMs(policy, 2, 0), 180);
  });

  test('closing ends the waiting at once, as a cancellation', async () => {
    const closing = new AbortController();
    const running = runWithRetry(
      { strategy: 'fixedDelay', maxRetryCount: -1, delayMs: 60_000 },
      () => Promise.reject(failing('x')),
      { signal: closing.signal, onFailure: () => setImmediate(() => closing.abort()) },
    );
    await assert.rejects(running, InvocationCancelledError);
  });

  test('a policy that makes no sense is refused', () => {
    const wrong = [
      { strategy: 'fixedDelay', maxRetryCount: 1 },
      { strategy: 'fixedDelay', maxRetryCount: -2, delayMs: 1 },
      { strategy: 'fixedDelay', maxRetryCount: Number.NaN, delayMs: 1 },
      { strategy: 'exponentialBackoff', maxRetryCount: 1, minimumMs: 5, maximumMs: 1 },
      { strategy: 'other', maxRetryCount: 1 },
    ];
    for (const declared of wrong) {
      assert.throws(() => readRetryPolicy(declared));
    }
  });
});
