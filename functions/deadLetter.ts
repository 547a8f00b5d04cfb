import { app } from '@azure/functions';
import { viewOf } from '../shared/operate/deadLetterView.ts';
import { required } from '../shared/operate/parameters.ts';
import { NotFoundError } from '../shared/operate/queryError.ts';
import { runtime } from '../shared/runtime.ts';
import { jsonAnswer } from './jsonAnswer.ts';
import { queryOf } from './query.ts';

app.http('deadLetter', {
  route: 'deadletters/{id}',
  methods: ['GET', 'DELETE'],
  authLevel: 'function',
  handler: jsonAnswer(async (request) => {
    const address = { stream: required(queryOf(request), 'stream'), id: request.params.id ?? '' };
    const { store, replayerOf } = await runtime();
    if (request.method === 'DELETE') {
      if ((await store.deadLetters.purge([address])) === 0) throw notThere();
      return { status: 204 };
    }
    const version = await store.deadLetters.read(address);
    if (version === undefined) throw notThere();
    return { jsonBody: await viewOf(version.document, replayerOf(version.document, false)) };
  }),
});

function notThere(): NotFoundError {
  return new NotFoundError('there is no such dead letter in this stream');
}
