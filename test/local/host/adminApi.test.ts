import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, FUNCTION_KEY, journal, startFixture } from './testApp.ts';

const KEY = { 'x-functions-key': FUNCTION_KEY };

test('the admin routes list the functions, tell the state, and ask for the key', async (t) => {
  const { path } = journal(t);
  const host = await startFixture(t, 'admin', { settings: { JOURNAL: path } });
  const get = async (route: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${host.url}/admin/${route}`, { headers });
    return { status: response.status, body: await response.text() };
  };
  assert.deepEqual(await get('host/status'), { status: 200, body: '{"state":"Running"}' });
  assert.equal((await get('functions')).status, 401);
  assert.deepEqual(JSON.parse((await get('functions', KEY)).body), [
    { name: 'yearly', trigger: 'timer' },
    { name: 'hook', trigger: 'http' },
  ]);
  assert.equal((await get('nothing', KEY)).status, 404);
});

test('manual runs are answered at once and run one after another, none is dropped', async (t) => {
  const { path, entries } = journal(t);
  const host = await startFixture(t, 'admin', { settings: { JOURNAL: path } });
  const run = async (name: string, headers: Record<string, string>, body = '{"input":""}') =>
    (await fetch(`${host.url}/admin/functions/${name}`, { method: 'POST', headers, body })).status;

  assert.deepEqual(
    [
      await run('yearly', {}),
      await run('yearly', { 'x-functions-key': 'wrong' }),
      await run('unknown', KEY),
      await run('yearly', KEY, 'no json'),
    ],
    [401, 401, 404, 400],
  );
  assert.deepEqual(
    await Promise.all(Array.from({ length: 10 }, () => run('yearly', KEY))),
    Array.from({ length: 10 }, () => 202),
  );
  const events = await eventually(() => entries().length >= 20 && entries());
  assert.deepEqual(
    events.map(({ event }) => event),
    Array.from({ length: 10 }, () => ['start', 'end']).flat(),
  );

  assert.equal(await run('HOOK', KEY, '{"input":"some text"}'), 202);
  await eventually(() => entries().length > 20);
  assert.deepEqual(entries().at(-1), { name: 'hook', method: 'POST', text: 'some text' });
});
