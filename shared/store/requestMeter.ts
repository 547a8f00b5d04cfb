import { AsyncLocalStorage } from 'node:async_hooks';

/** What the store's point operations cost. */
export interface RequestMeter {
  requestUnits: number;
  /** Operations that were answered 429 and tried again. */
  throttled: number;
}

export function newRequestMeter(): RequestMeter {
  return { requestUnits: 0, throttled: 0 };
}

/** The streams of a process work side by side on one client; the meter of whoever asked goes along with the asking. */
const current = new AsyncLocalStorage<RequestMeter>();

/** Runs `work`; what its operations cost is added to `meter` too. */
export function metered<Result>(meter: RequestMeter, work: () => Promise<Result>): Promise<Result> {
  return current.run(meter, work);
}

/** Adds to `meter`, which counts the whole process, and to the one that the current work runs under. */
export function charge(meter: RequestMeter, cost: RequestMeter): void {
  for (const each of new Set([meter, current.getStore() ?? meter])) {
    each.requestUnits += cost.requestUnits;
    each.throttled += cost.throttled;
  }
}
