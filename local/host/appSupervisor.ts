import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AppChild, type AppChildOptions } from './appChild.ts';
import {
  AppExitedError,
  AppUnavailableError,
  FunctionTimeoutError,
  InvocationCancelledError,
  messageOf,
} from './errors.ts';
import type { FunctionDeclaration, InvocationResponse, RetryContext, TypedData } from './rpc.ts';

const FIRST_RESTART_DELAY_MS = 50;
const LAST_RESTART_DELAY_MS = 1_000;
/** A process that ran this long was healthy: its end starts the back-off anew. */
const HEALTHY_AFTER_MS = 5_000;

/** What a trigger hands to one call of its function. */
export interface TriggerInput {
  /** Name of the trigger's binding, as the library generated it. */
  readonly bindingName: string;
  readonly data: TypedData;
  readonly metadata?: Readonly<Record<string, TypedData>>;
  readonly retryContext?: RetryContext | undefined;
}

export interface SupervisorOptions extends AppChildOptions {
  /** Undefined: no limit. */
  readonly functionTimeoutMs: number | undefined;
  /** Throws when what the app registered must not run. */
  readonly accept: (functions: readonly FunctionDeclaration[]) => void;
}

/**
 * Keeps one process of the app alive.
 *
 *   starting --ready--> serving --exit--> (back-off) --> starting ...      any --close()--> closed
 *
 * `#serving` holds the process only between "ready" and "exit": it is dropped in the same tick in which the exit is seen,
 * or the process is killed from here, so that no invocation goes to a dead process. Invocations that come meanwhile wait for the next one.
 */
export class AppSupervisor {
  readonly #options: SupervisorOptions;
  readonly #closing = new AbortController();
  #child: AppChild;
  #serving: AppChild | undefined;
  #readiness = Promise.withResolvers<void>();
  #restartDelayMs = FIRST_RESTART_DELAY_MS;

  private constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#child = new AppChild(options);
  }

  /** Rejects with AppLoadError, or with what `accept` throws, when the first process cannot serve. */
  static async start(options: SupervisorOptions): Promise<AppSupervisor> {
    const supervisor = new AppSupervisor(options);
    await supervisor.#bringUp(supervisor.#child);
    return supervisor;
  }

  get pid(): number | undefined {
    return this.#child.exitReason === undefined ? this.#child.pid : undefined;
  }

  get isReady(): boolean {
    return this.#serving !== undefined;
  }

  /** Wanted, and therefore no reason to hold back the next process. */
  kill(signal: NodeJS.Signals): void {
    this.#restartDelayMs = FIRST_RESTART_DELAY_MS;
    if (signal === 'SIGKILL') {
      this.#takeDown(this.#child);
    }
    this.#child.kill(signal);
  }

  /**
   * Calls a function. Waits for a process that serves: without end, or for `readyWithinMs`.
   * Rejects with FunctionFailedError, FunctionTimeoutError, AppExitedError, AppUnavailableError or
   * InvocationCancelledError.
   */
  async invoke(functionName: string, input: TriggerInput, readyWithinMs?: number): Promise<InvocationResponse> {
    const child = this.#serving ?? (await this.#waitForChild(functionName, readyWithinMs));
    const { functionTimeoutMs } = this.#options;
    let timedOut = false;
    const timer =
      functionTimeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            this.#options.log(
              `${functionName} exceeded the functionTimeout of ${functionTimeoutMs} ms: restarting the app`,
            );
            this.#takeDown(child);
            child.kill('SIGKILL');
          }, functionTimeoutMs);
    try {
      return await child.invoke({
        invocationId: randomUUID(),
        functionId: functionName,
        inputData: [{ name: input.bindingName, data: input.data }],
        triggerMetadata: input.metadata ?? {},
        ...(input.retryContext === undefined ? {} : { retryContext: input.retryContext }),
      });
    } catch (cause) {
      if (timedOut && cause instanceof AppExitedError) {
        throw new FunctionTimeoutError(`${functionName} ran longer than ${functionTimeoutMs} ms.`, { cause });
      }
      throw cause;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the app: gracefully when it serves, at once otherwise. Invocations still in flight fail. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#readiness.reject(new InvocationCancelledError('The host is closing.'));
    this.#readiness.promise.catch(() => undefined);
    if (this.#child.exitReason !== undefined) {
      return;
    }
    if (this.#serving === undefined) {
      this.#child.kill('SIGKILL');
      await this.#child.exited;
    } else {
      await this.#child.terminate();
    }
  }

  async #waitForChild(functionName: string, readyWithinMs: number | undefined): Promise<AppChild> {
    const timeUp = new AbortController();
    try {
      for (;;) {
        this.#throwIfClosing();
        if (this.#serving !== undefined) {
          return this.#serving;
        }
        const waits = [this.#readiness.promise];
        if (readyWithinMs !== undefined) {
          waits.push(
            delay(readyWithinMs, undefined, { signal: timeUp.signal }).then(() => {
              throw new AppUnavailableError(`The app did not come back in time to run ${functionName}.`);
            }),
          );
        }
        await Promise.race(waits);
      }
    } finally {
      timeUp.abort();
    }
  }

  #throwIfClosing(): void {
    if (this.#closing.signal.aborted) {
      throw new InvocationCancelledError('The host is closing.');
    }
  }

  async #bringUp(child: AppChild): Promise<void> {
    try {
      this.#options.accept(await child.loaded);
    } catch (error) {
      child.kill('SIGKILL');
      await child.exited;
      throw error;
    }
    if (child.exitReason !== undefined) {
      throw new AppExitedError(`The app's process ended (${child.exitReason}) right after it had loaded.`);
    }
    const readyAt = Date.now();
    this.#serving = child;
    this.#readiness.resolve();
    child.exited.then((reason) => this.#onExit(child, reason, Date.now() - readyAt));
  }

  /** From here on invocations wait for the next process. */
  #takeDown(child: AppChild): void {
    if (this.#serving === child) {
      this.#serving = undefined;
      this.#readiness = Promise.withResolvers();
    }
  }

  #onExit(child: AppChild, reason: string, servedMs: number): void {
    this.#takeDown(child);
    if (this.#closing.signal.aborted) {
      return;
    }
    this.#options.log(`The app's process ended (${reason}); restarting it`);
    if (servedMs >= HEALTHY_AFTER_MS) {
      this.#restartDelayMs = FIRST_RESTART_DELAY_MS;
    }
    void this.#restart();
  }

  async #restart(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await delay(this.#restartDelayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) {
        return;
      }
      this.#restartDelayMs = Math.min(this.#restartDelayMs * 2, LAST_RESTART_DELAY_MS);
      this.#child = new AppChild(this.#options);
      try {
        await this.#bringUp(this.#child);
        return;
      } catch (error) {
        this.#options.log(`The app could not be restarted: ${messageOf(error)}`);
      }
    }
  }
}
