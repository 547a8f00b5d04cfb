import type { Log } from './appChild.ts';
import type { AppSupervisor } from './appSupervisor.ts';
import { InvocationCancelledError, messageOf } from './errors.ts';
import { nextOccurrence } from './ncrontab.ts';
import type { TimerFunction } from './registration.ts';
import { runWithRetry } from './retryPolicy.ts';
import { RunQueue } from './runQueue.ts';
import type { TimerStatus, TimerStatusBlob } from './timerStatus.ts';

/** Timers of Node end at 2^31 ms; a longer wait is made of several. */
const LONGEST_WAIT_MS = 86_400_000;
/** Schedules that come more often are not monitored unless the app says so. */
const MONITORED_INTERVAL_MS = 60_000;

/** Whether the real host would keep a status blob for this timer. */
export function isMonitored({ useMonitor, schedule }: TimerFunction): boolean {
  if (useMonitor !== undefined) {
    return useMonitor;
  }
  const first = nextOccurrence(schedule, new Date());
  return nextOccurrence(schedule, first).getTime() - first.getTime() >= MONITORED_INTERVAL_MS;
}

export interface TimerTriggerOptions {
  readonly timer: TimerFunction;
  readonly supervisor: AppSupervisor;
  /** Present for a monitored timer. */
  readonly statusBlob: TimerStatusBlob | undefined;
  readonly log: Log;
}

/**
 * Runs one timer function. All its runs, scheduled and manual, go through one queue, so that two never overlap. A
 * scheduled moment that finds the queue busy is skipped; a manual run waits. The next moment is computed when the run of
 * the last one has ended. A monitored timer whose next moment passed while no host ran gets one run at start, past due.
 */
export class TimerTrigger {
  readonly #options: TimerTriggerOptions;
  readonly #queue = new RunQueue();
  readonly #stopping = new AbortController();
  #wait: NodeJS.Timeout | undefined;
  #status: TimerStatus | undefined;

  constructor(options: TimerTriggerOptions) {
    this.#options = options;
  }

  get functionName(): string {
    return this.#options.timer.name;
  }

  /** Rejects when the status blob cannot be read or written. */
  async start(): Promise<void> {
    const { timer, statusBlob } = this.#options;
    this.#status = await statusBlob?.read();
    const now = new Date();
    const pastDue =
      this.#status !== undefined &&
      nextOccurrence(timer.schedule, new Date(this.#status.Last)).getTime() < now.getTime();
    if (statusBlob !== undefined && this.#status === undefined) {
      // From here on a missed moment can be noticed.
      await this.#record(now);
    }
    if (pastDue || timer.runOnStartup) {
      void this.#scheduledRun(now, pastDue);
    } else {
      this.#waitFor(nextOccurrence(timer.schedule, now));
    }
  }

  /** A manual run: begins when the runs before it have ended. */
  runNow(): void {
    void this.#queue.enqueue(async () => {
      await this.#run(false);
    });
  }

  /** No run begins any more; resolves when the one that is running has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#wait);
    await this.#queue.idle();
  }

  #waitFor(due: Date): void {
    if (this.#stopping.signal.aborted) {
      return;
    }
    const remainingMs = due.getTime() - Date.now();
    this.#wait = setTimeout(
      () => {
        if (remainingMs > LONGEST_WAIT_MS) {
          this.#waitFor(due);
        } else {
          void this.#onDue(due);
        }
      },
      Math.min(Math.max(remainingMs, 0), LONGEST_WAIT_MS),
    );
  }

  async #onDue(due: Date): Promise<void> {
    if (this.#queue.busy) {
      this.#options.log(`${this.#options.timer.name} is still running: the run of ${due.toISOString()} is skipped`);
      this.#waitForNext(due);
      return;
    }
    await this.#scheduledRun(due, false);
  }

  async #scheduledRun(due: Date, isPastDue: boolean): Promise<void> {
    await this.#queue.enqueue(async () => {
      if (await this.#run(isPastDue)) {
        await this.#record(due).catch((error) =>
          this.#options.log(`The status of ${this.#options.timer.name} could not be written: ${messageOf(error)}`),
        );
      }
    });
    this.#waitForNext(due);
  }

  /** A timer may fire a millisecond early: the same moment must not come twice. */
  #waitForNext(due: Date): void {
    this.#waitFor(nextOccurrence(this.#options.timer.schedule, new Date(Math.max(Date.now(), due.getTime()))));
  }

  async #record(last: Date): Promise<void> {
    const { timer, statusBlob } = this.#options;
    if (statusBlob === undefined) {
      return;
    }
    this.#status = {
      Last: last.toISOString(),
      Next: nextOccurrence(timer.schedule, new Date(Math.max(Date.now(), last.getTime()))).toISOString(),
      LastUpdated: new Date().toISOString(),
    };
    await statusBlob.write(this.#status);
  }

  /** False when the closing host kept the run from beginning or from its last retry: its moment then counts as missed. */
  async #run(isPastDue: boolean): Promise<boolean> {
    const { timer, supervisor, log } = this.#options;
    if (this.#stopping.signal.aborted) {
      return false;
    }
    const info = {
      Schedule: { AdjustForDST: true },
      ScheduleStatus: this.#status ?? null,
      IsPastDue: isPastDue,
    };
    const onFailure = (error: unknown) => log(`${timer.name}: ${messageOf(error)}`);
    try {
      await runWithRetry(
        timer.retry,
        (retryContext) =>
          supervisor.invoke(timer.name, {
            bindingName: timer.bindingName,
            data: { json: JSON.stringify(info) },
            retryContext,
          }),
        { signal: this.#stopping.signal, onFailure },
      );
    } catch (error) {
      // Every failure has been logged; a timer goes on with its next moment.
      return !(error instanceof InvocationCancelledError);
    }
    return true;
  }
}
