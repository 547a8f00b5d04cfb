import type { Parking } from '../ingest/parking.ts';
import type { QlikConsumer } from './consumer.ts';

/**
 * Replays records whose wait ended unnoticed: their metadata came through another instance at the very moment they were
 * parked, or the settings now tell what no message did. Throws StoreUnavailableError.
 */
export async function replayQlik(parking: Parking, consumerOf: (stream: string) => QlikConsumer): Promise<void> {
  for (const { stream, waitingFor } of await parking.waits('qlik')) await consumerOf(stream).replay(waitingFor);
}
