import { Deadline, TimeIsUpError } from '../body/deadline.ts';
import type { Parking } from '../ingest/parking.ts';
import type { Truncations } from '../ingest/truncations.ts';
import type { GoldenGateConsumer } from './consumer.ts';

/** The next sweep is a minute later and takes up what this one leaves. */
const TIME_LIMIT_MS = 45_000;

export interface SweepParts {
  readonly parking: Parking;
  readonly truncations: Truncations;
  readonly consumerOf: (stream: string) => GoldenGateConsumer;
}

/**
 * Replays records whose wait ended unnoticed: their metadata came through another instance at the very moment they were
 * parked. And goes on emptying truncated tables where a request had no more time for it. Throws StoreUnavailableError.
 */
export async function sweepGoldenGate({ parking, truncations, consumerOf }: SweepParts): Promise<void> {
  const deadline = new Deadline(TIME_LIMIT_MS);
  await truncations.resume(() => deadline.remainingMs === 0);
  try {
    for (const { stream, waitingFor } of await parking.waits('goldengate')) {
      deadline.check();
      await consumerOf(stream).replay(waitingFor, deadline);
    }
  } catch (error) {
    if (!(error instanceof TimeIsUpError)) throw error;
  }
}
