import { app } from '@azure/functions';
import { readStatus } from '../shared/operate/status.ts';
import { runtime } from '../shared/runtime.ts';
import { StoreUnavailableError } from '../shared/store/errors.ts';

const RETRY_AFTER_SECONDS = '5';

app.http('status', {
  route: 'status',
  methods: ['GET'],
  authLevel: 'function',
  handler: async (_request, context) => {
    const { store, config } = await runtime();
    try {
      return { jsonBody: await readStatus(store, config.streams) };
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      context.error(error.message);
      return { status: 503, headers: { 'Retry-After': RETRY_AFTER_SECONDS }, jsonBody: { error: error.message } };
    }
  },
});
