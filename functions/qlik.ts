import { app } from '@azure/functions';
import { registerSchema } from '../shared/qlik/registration.ts';
import { runtime } from '../shared/runtime.ts';
import { httpIngest } from './httpIngest.ts';

app.http('qlik', {
  route: 'qlik/{stream}',
  methods: ['POST'],
  authLevel: 'function',
  handler: httpIngest(async (request, deadline) => {
    const { qlikConsumer } = await runtime();
    return qlikConsumer(request.stream).ingest(request, deadline);
  }),
});

/** Schemas of messages that a schema registry has framed: see `shared/qlik/registration.ts`. */
app.http('qlikSchema', {
  route: 'qlik/{stream}/schemas/{id}',
  methods: ['PUT'],
  authLevel: 'function',
  handler: (httpRequest, context) => {
    const register = httpIngest(async (request) => {
      const { qlikConsumer, config } = await runtime();
      await registerSchema(qlikConsumer(request.stream), httpRequest.params.id ?? '', request, config.limits);
      return [{ outcome: 'catalog' }];
    });
    return register(httpRequest, context);
  },
});
