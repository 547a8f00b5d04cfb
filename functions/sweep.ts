import { app } from '@azure/functions';
import { expireSplitEvents } from '../shared/ces/sweep.ts';
import { sweepGoldenGate } from '../shared/goldengate/sweep.ts';
import { foldCounters } from '../shared/operate/foldCounters.ts';
import { readStatus } from '../shared/operate/status.ts';
import { noteRun } from '../shared/operate/timers.ts';
import { replayQlik } from '../shared/qlik/sweep.ts';
import { runtime } from '../shared/runtime.ts';
import { reportStatus } from '../shared/telemetry/telemetry.ts';

/** Each minute: what waited too long is handed to the operator. */
app.timer('sweep', {
  schedule: '0 * * * * *',
  handler: async (_timer, context) => {
    const { pipeline, store, limits, parking, truncations, goldenGateConsumer, qlikConsumer } = await runtime();
    await noteRun(store.timers, 'sweep', async () => {
      const expired = await expireSplitEvents({ pipeline, segments: store.segments, limits });
      if (expired > 0) context.warn(`${expired} split events stayed incomplete too long and became dead letters`);
      await sweepGoldenGate({ parking, truncations, consumerOf: goldenGateConsumer });
      await replayQlik(parking, qlikConsumer);
      const overdue = await parking.expire();
      if (overdue > 0) context.warn(`${overdue} records waited too long for their table and became dead letters`);
      await foldCounters(store.counters);
    });
    const { config, hubs, upSince } = await runtime();
    await reportStatus(() => readStatus({ store, configured: config.streams, hubs, upSince }));
  },
});
