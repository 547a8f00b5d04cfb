import { type CesIntakeParts, splitEventsOf } from './intake.ts';

/**
 * Makes dead letters of the events that have lacked segments for longer than the time-out. Returns how many. Events of
 * all streams at once: their manifests lie in one container. Throws StoreUnavailableError.
 */
export async function expireSplitEvents(
  parts: Pick<CesIntakeParts, 'segments' | 'limits' | 'pipeline'>,
): Promise<number> {
  const splitEvents = splitEventsOf(parts);
  const overdueSince = new Date(Date.now() - parts.limits.timeoutMs).toISOString();
  let expired = 0;
  for (const { scope, stream, logicalId } of await parts.segments.incompleteBefore(overdueSince)) {
    if (await splitEvents.expire({ scope, stream, logicalId })) expired++;
  }
  return expired;
}
