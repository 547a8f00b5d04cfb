import { app } from '@azure/functions';
import { TimeBudget } from '../shared/changefeed/walkBudget.ts';
import { noteRun } from '../shared/operate/timers.ts';
import { runtime } from '../shared/runtime.ts';

/** Well under `functionTimeout`: what a walk has not reached by then, the next one does. */
const SLICE_MS = 4 * 60_000;
/** A request that still hangs when a slice should long be over is given up. */
const GRACE_MS = 60_000;

/** What was last said about each stream: a feed that is not enabled is news once, not every minute. */
const reported = new Map<string, string | null>();

/** Each minute: walks the change feed of every `blob` stream, side by side; none waits for another or fails with it. */
app.timer('changeFeed', {
  schedule: '0 * * * * *',
  handler: async (_timer, context) => {
    const { changeFeeds, store } = await runtime();
    await noteRun(store.timers, 'changeFeed', async () => {
      const signal = AbortSignal.timeout(SLICE_MS + GRACE_MS);
      const walks = changeFeeds.map((feed) => feed.walk(new TimeBudget(SLICE_MS), signal));
      const failures = (await Promise.allSettled(walks)).flatMap((walk, index) => {
        const stream = changeFeeds[index]?.stream ?? '';
        if (walk.status === 'rejected') return [walk.reason];
        const { outcome, events, error } = walk.value;
        if (events > 0) context.log(`change feed ${stream}: ${events} events`);
        if (outcome === 'busy') context.log(`change feed ${stream}: another instance walks it`);
        if (error !== null && error !== reported.get(stream)) context.warn(`change feed ${stream}: ${error}`);
        if (outcome !== 'busy') reported.set(stream, error);
        return [];
      });
      if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
    });
  },
});
