import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { AppSupervisor } from '../../../local/host/appSupervisor.ts';
import {
  AppExitedError,
  AppUnavailableError,
  FunctionFailedError,
  InvocationCancelledError,
} from '../../../local/host/errors.ts';
import { fixture, journal } from './testApp.ts';

test('a call waits for the app as long as it may, and is told what became of it', async (t) => {
  const { path } = journal(t);
  let loads = 0;
  const supervisor = await AppSupervisor.start({
    appRoot: fixture('changing'),
    settings: { JOURNAL: path },
    functionTimeoutMs: undefined,
    log: () => undefined,
    accept: () => {
      loads += 1;
      assert.equal(loads, 1, 'only the first process is accepted');
    },
  });
  t.after(() => supervisor.close());
  const http = { url: 'http://x/', method: 'GET' };
  const call = (readyWithinMs?: number) =>
    supervisor.invoke('first', { bindingName: 'none', data: { http } }, readyWithinMs);

  await assert.rejects(call(), FunctionFailedError);
  writeFileSync(path, '');
  // Stopped, so that it cannot answer before it is killed.
  supervisor.kill('SIGSTOP');
  const inFlight = call();
  supervisor.kill('SIGKILL');
  await assert.rejects(inFlight, AppExitedError);
  assert.equal(supervisor.isReady, false);
  await assert.rejects(call(20), AppUnavailableError);
  const waiting = call();
  await Promise.all([assert.rejects(waiting, InvocationCancelledError), supervisor.close()]);
});
