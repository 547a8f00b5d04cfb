import { eachInTurn } from '../ingest/eachInTurn.ts';
import { type CesIntakeParts, splitEventsOf } from './intake.ts';

/**
 * Makes dead letters of the events that have lacked segments for longer than the time-out. Returns how many. Events of
 * all streams at once: their manifests lie in one container. One that fails keeps no other from its turn. Throws at the end
 * what failed: StoreUnavailableError, or several in an AggregateError.
 */
export async function expireSplitEvents(
  parts: Pick<CesIntakeParts, 'segments' | 'limits' | 'pipeline'>,
): Promise<number> {
  const splitEvents = splitEventsOf(parts);
  const overdueSince = new Date(Date.now() - parts.limits.timeoutMs).toISOString();
  let expired = 0;
  await eachInTurn(await parts.segments.incompleteBefore(overdueSince), async ({ scope, stream, logicalId }) => {
    if (await splitEvents.expire({ scope, stream, logicalId })) expired++;
  });
  return expired;
}
