import { app } from '@azure/functions';
import { continuationOf, limitOf, required } from '../shared/operate/parameters.ts';
import { runtime } from '../shared/runtime.ts';
import { jsonAnswer } from './jsonAnswer.ts';
import { queryOf } from './query.ts';

/** The rows of a table; with `id` one row and its history. */
app.http('rows', {
  route: 'rows',
  methods: ['GET'],
  authLevel: 'function',
  handler: jsonAnswer(async (request) => {
    const query = queryOf(request);
    const table = required(query, 'table');
    const limit = limitOf(query);
    const { tables } = (await runtime()).store;
    const id = query('id');
    if (id === null) {
      const { items, continuation } = await tables.rowsOf(table, limit, continuationOf(query));
      return { jsonBody: { rows: items, continuation } };
    }
    const [row, changes] = await Promise.all([
      tables.row(table, id),
      tables.changesOf(table, id, limit, continuationOf(query)),
    ]);
    return { jsonBody: { row, changes: changes.items, continuation: changes.continuation } };
  }),
});
