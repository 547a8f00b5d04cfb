import { app } from '@azure/functions';
import { readStatus } from '../shared/operate/status.ts';
import { runtime } from '../shared/runtime.ts';
import { jsonAnswer } from './jsonAnswer.ts';

app.http('status', {
  route: 'status',
  methods: ['GET'],
  authLevel: 'function',
  handler: jsonAnswer(async () => {
    const { store, config, hubs, upSince } = await runtime();
    return { jsonBody: await readStatus({ store, configured: config.streams, hubs, upSince }) };
  }),
});
