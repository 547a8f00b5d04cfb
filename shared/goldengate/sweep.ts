import { Deadline, TimeIsUpError } from '../body/deadline.ts';
import { eachInTurn } from '../ingest/eachInTurn.ts';
import type { Wait } from '../ingest/parkedStore.ts';
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
 * parked. And goes on emptying truncated tables where a request had no more time for it. What fails for one table keeps no
 * other from its turn. Throws at the end what failed: StoreUnavailableError, or several in an AggregateError.
 */
export async function sweepGoldenGate({ parking, truncations, consumerOf }: SweepParts): Promise<void> {
  const deadline = new Deadline(TIME_LIMIT_MS);
  const isTimeUp = () => deadline.remainingMs === 0;
  const replay = ({ stream, waitingFor }: Wait) =>
    consumerOf(stream).replay(waitingFor, deadline).catch(unlessTimeIsUp);
  const parts = [
    () => truncations.resume(() => deadline.isHalfOver),
    async () => eachInTurn(await parking.waits('goldengate'), replay, isTimeUp),
  ];
  await eachInTurn(parts, async (part) => void (await part()));
}

function unlessTimeIsUp(error: unknown): void {
  if (!(error instanceof TimeIsUpError)) throw error;
}
