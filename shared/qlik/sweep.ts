import { Deadline } from '../body/deadline.ts';
import { eachInTurn } from '../ingest/eachInTurn.ts';
import type { Wait } from '../ingest/parkedStore.ts';
import type { Parking } from '../ingest/parking.ts';
import type { QlikConsumer } from './consumer.ts';

/** The next sweep is a minute later and takes up what this one leaves. */
const TIME_LIMIT_MS = 45_000;

/**
 * Replays records whose wait ended unnoticed: their metadata came through another instance at the very moment they were
 * parked, or the settings now tell what no message did. What fails for one keeps no other from its turn. Throws at the end
 * what failed: StoreUnavailableError, or several in an AggregateError.
 */
export async function replayQlik(parking: Parking, consumerOf: (stream: string) => QlikConsumer): Promise<void> {
  const deadline = new Deadline(TIME_LIMIT_MS);
  const replay = ({ stream, waitingFor }: Wait) => consumerOf(stream).replay(waitingFor);
  await eachInTurn(await parking.waits('qlik'), replay, () => deadline.remainingMs === 0);
}
