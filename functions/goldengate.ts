import { app } from '@azure/functions';
import { runtime } from '../shared/runtime.ts';
import { httpIngest } from './httpIngest.ts';

app.http('goldengate', {
  route: 'goldengate/{stream}',
  methods: ['POST'],
  authLevel: 'function',
  handler: httpIngest(async (request, deadline) => {
    const { goldenGateConsumer } = await runtime();
    return goldenGateConsumer(request.stream).ingest(request, deadline);
  }),
});
