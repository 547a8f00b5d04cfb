import { app } from '@azure/functions';
import { replayRequestOf } from '../shared/operate/parameters.ts';
import { QueryError } from '../shared/operate/queryError.ts';
import { replayDeadLetters } from '../shared/operate/replay.ts';
import { runtime } from '../shared/runtime.ts';
import { jsonAnswer } from './jsonAnswer.ts';

app.http('replay', {
  route: 'deadletters/replay',
  methods: ['POST'],
  authLevel: 'function',
  handler: jsonAnswer(async (request) => {
    const replay = replayRequestOf(parsed(await request.text()));
    const { store, replayerOf } = await runtime();
    return { jsonBody: await replayDeadLetters({ deadLetters: store.deadLetters, replayerOf }, replay) };
  }),
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new QueryError('the body is not JSON', { cause: error });
  }
}
