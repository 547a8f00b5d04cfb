import { app } from '@azure/functions';
import { summaryOf } from '../shared/operate/deadLetterView.ts';
import { continuationOf, filterOf, limitOf } from '../shared/operate/parameters.ts';
import { purgeDeadLetters } from '../shared/operate/purge.ts';
import { runtime } from '../shared/runtime.ts';
import { jsonAnswer } from './jsonAnswer.ts';
import { queryOf } from './query.ts';

app.http('deadLetters', {
  route: 'deadletters',
  methods: ['GET', 'DELETE'],
  authLevel: 'function',
  handler: jsonAnswer(async (request) => {
    const query = queryOf(request);
    const { deadLetters } = (await runtime()).store;
    if (request.method === 'DELETE') return { jsonBody: await purgeDeadLetters(deadLetters, filterOf(query)) };
    const { items, continuation } = await deadLetters.list(filterOf(query), {
      limit: limitOf(query),
      continuation: continuationOf(query),
    });
    return { jsonBody: { deadLetters: items.map(summaryOf), continuation } };
  }),
});
