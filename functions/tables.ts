import { app } from '@azure/functions';
import { continuationOf } from '../shared/operate/parameters.ts';
import { runtime } from '../shared/runtime.ts';
import { jsonAnswer } from './jsonAnswer.ts';
import { queryOf } from './query.ts';

app.http('tables', {
  route: 'tables',
  methods: ['GET'],
  authLevel: 'function',
  handler: jsonAnswer(async (request) => {
    const { items, continuation } = await (await runtime()).store.tables.tables(continuationOf(queryOf(request)));
    return { jsonBody: { tables: items, continuation } };
  }),
});
