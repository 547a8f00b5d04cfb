import type { TimerDocument, TimerStore } from '../store/timers.ts';

/** The timer functions of the app and how often they run. */
export const TIMERS = { changeFeed: 60_000, sweep: 60_000 } as const satisfies { [name: string]: number };

export type TimerName = keyof typeof TIMERS;

/** So many turns may be missed before a timer counts as dead: a run may take minutes, and instances change. */
const TURNS_MISSED = 10;
const MAX_ERROR_CHARACTERS = 500;

export interface TimerStatus {
  readonly name: string;
  /** End of the newest run, ISO 8601; null when it never ran to its end. */
  readonly lastRunAt: string | null;
  /** Whether it has not run for much longer than it should. */
  readonly late: boolean;
  /** What the newest run failed with. */
  readonly error: string | null;
}

/** Runs a timer's work and notes when, and how it ended. Throws what the work throws. */
export async function noteRun(store: TimerStore, name: TimerName, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_CHARACTERS);
    // The work's own error is what matters; where it comes from the store, this fails too.
    await store.save(name, new Date().toISOString(), message).catch(() => undefined);
    throw error;
  }
  await store.save(name, new Date().toISOString(), null);
}

/** How each timer does. `upSince`: a timer that never ran is late only when the app has been there for long enough. */
export function timerStatuses(documents: readonly TimerDocument[], upSince: number, now = Date.now()): TimerStatus[] {
  return Object.entries(TIMERS).map(([name, everyMs]) => {
    const document = documents.find((each) => each.name === name);
    const last = document === undefined ? upSince : Date.parse(document.lastRunAt);
    return {
      name,
      lastRunAt: document?.lastRunAt ?? null,
      late: now - last > everyMs * TURNS_MISSED,
      error: document?.error ?? null,
    };
  });
}
