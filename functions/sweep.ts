import { app } from '@azure/functions';
import { expireSplitEvents } from '../shared/ces/sweep.ts';
import { sweepGoldenGate } from '../shared/goldengate/sweep.ts';
import { eachInTurn } from '../shared/ingest/eachInTurn.ts';
import { foldCounters } from '../shared/operate/foldCounters.ts';
import { readStatus } from '../shared/operate/status.ts';
import { noteRun } from '../shared/operate/timers.ts';
import { replayQlik } from '../shared/qlik/sweep.ts';
import { runtime } from '../shared/runtime.ts';
import { reportStatus } from '../shared/telemetry/telemetry.ts';

/**
 * Each minute: what a request left undone is done, and what waited too long is handed to the operator. A part that fails
 * keeps no other from its turn, and the run fails at its end.
 */
app.timer('sweep', {
  schedule: '0 * * * * *',
  handler: async (_timer, context) => {
    const { pipeline, store, limits, parking, truncations, goldenGateConsumer, qlikConsumer } = await runtime();
    const parts = [
      async () => {
        const expired = await expireSplitEvents({ pipeline, segments: store.segments, limits });
        if (expired > 0) context.warn(`${expired} split events stayed incomplete too long and became dead letters`);
      },
      () => sweepGoldenGate({ parking, truncations, consumerOf: goldenGateConsumer }),
      () => replayQlik(parking, qlikConsumer),
      async () => {
        const overdue = await parking.expire();
        if (overdue > 0) context.warn(`${overdue} records waited too long for their table and became dead letters`);
      },
      () => foldCounters(store.counters),
    ];
    await noteRun(store.timers, 'sweep', () => eachInTurn(parts, async (part) => void (await part())));
    const { config, hubs, upSince } = await runtime();
    await reportStatus(() => readStatus({ store, configured: config.streams, hubs, upSince }));
  },
});
