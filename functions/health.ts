import { app } from '@azure/functions';
import { checkHealth } from '../shared/operate/health.ts';
import { runtime } from '../shared/runtime.ts';

app.http('health', {
  route: 'health',
  methods: ['GET'],
  authLevel: 'anonymous',
  handler: async () => {
    const { store, hubs } = await runtime();
    const health = await checkHealth([
      { name: 'cosmos', touch: () => store.ping() },
      { name: 'storage', touch: () => store.values.ping() },
      ...[...hubs].map(([stream, hub]) => ({ name: `eventHub:${stream}`, touch: () => hub.touch() })),
    ]);
    return { status: health.status === 'up' ? 200 : 503, jsonBody: health };
  },
});
