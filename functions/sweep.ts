import { app } from '@azure/functions';
import { expireSplitEvents } from '../shared/ces/sweep.ts';
import { runtime } from '../shared/runtime.ts';

/** Each minute: what waited too long is handed to the operator. */
app.timer('sweep', {
  schedule: '0 * * * * *',
  handler: async (_timer, context) => {
    const { pipeline, store, limits } = await runtime();
    const expired = await expireSplitEvents({ pipeline, segments: store.segments, limits });
    if (expired > 0) context.warn(`${expired} split events stayed incomplete too long and became dead letters`);
  },
});
