import type { Source } from '../change/change.ts';
import type { Outcome } from '../ingest/delivery.ts';
import type { Counts } from '../ingest/streamCounters.ts';
import type { Status } from '../operate/status.ts';

/** Where traces and numbers go. Nothing of it throws or holds work up, and nothing of it is needed for correctness. */
export interface Telemetry {
  /** Runs a batch of `records` records within a span. Settles as `work` does. */
  batch(source: Source, stream: string, records: number, work: () => Promise<Outcome[]>): Promise<Outcome[]>;
  /** Takes what a stream's counters have just been raised by. */
  counted(source: Source, stream: string, added: Readonly<Counts>): void;
  /** Takes note that a function has run. */
  ran(functionName: string, outcome: 'ok' | 'failed'): void;
  /** Takes the numbers of all streams. */
  status(status: Status): void;
}

const SILENT: Telemetry = {
  batch: (_source, _stream, _records, work) => work(),
  counted() {},
  ran() {},
  status() {},
};

let current = SILENT;

/** Says nothing to anybody until `useTelemetry` was called. */
export function telemetry(): Telemetry {
  return current;
}

export function useTelemetry(to: Telemetry): void {
  current = to;
}

/** Reads the numbers of all streams and sends them; reads nothing where nobody listens. Never throws. */
export async function reportStatus(read: () => Promise<Status>): Promise<void> {
  if (current === SILENT) return;
  try {
    current.status(await read());
  } catch {
    // Whoever watches sees that the numbers stop; the work that they are about goes on.
  }
}
