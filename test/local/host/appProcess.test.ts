import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually, fixture, journal, startFixture } from './testApp.ts';

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the app process', { concurrency: 3 }, () => {
  test('hooks run around the app and around each invocation, and may change what comes out', async (t) => {
    const { path, entries } = journal(t);
    const host = await startFixture(t, 'hooks', { settings: { JOURNAL: path } });
    const hooked = await fetch(`${host.url}/api/hooked`);
    const mended = await fetch(`${host.url}/api/mended`);
    assert.deepEqual([hooked.status, await hooked.json(), mended.status], [200, [{ status: 200 }], 418]);
    await host.close();
    assert.deepEqual(entries(), [
      { hook: 'appStart' },
      { hook: 'postInvocation', from: 'pre', failed: false },
      { hook: 'postInvocation', from: 'pre', failed: true },
      { hook: 'appTerminate' },
    ]);
  });

  test('a function cannot be registered any more once the app has started, and logs reach the host', async (t) => {
    const { path, entries } = journal(t);
    const host = await startFixture(t, 'hooks', { settings: { JOURNAL: path } });
    assert.equal((await fetch(`${host.url}/api/late`)).status, 418);
    assert.equal(entries().at(-1)?.failed, true);
    assert.ok(host.lines.includes('[late] warning: a warning 7'), host.lines.join('\n'));
  });

  test('an app in CommonJS works the same', async (t) => {
    const host = await startFixture(t, 'commonJs');
    assert.equal(await (await fetch(`${host.url}/api/old`)).text(), 'common');
  });

  test('an app that comes back with other functions is not served', async (t) => {
    const { path } = journal(t);
    const host = await startFixture(t, 'changing', { settings: { JOURNAL: path } });
    writeFileSync(path, '');
    host.killApp();
    await eventually(() => host.lines.some((line) => line.includes('rebuilt with other functions')));
    rmSync(path);
    assert.equal((await fetch(`${host.url}/api/first`)).status, 200);
  });

  test('it ends when its host is killed', async () => {
    const script = fileURLToPath(new URL('startHostAndWait.ts', import.meta.url));
    const parent = spawn(process.execPath, [script, fixture('commonJs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = await once(parent.stdout, 'data');
    const pid = Number(String(printed));
    assert.ok(runs(pid));
    parent.kill('SIGKILL');
    await eventually(() => !runs(pid));
  });

  test('it survives Ctrl-C, and ends with the host', async (t) => {
    const host = await startFixture(t, 'commonJs');
    const pid = Number(host.appPid);
    process.kill(pid, 'SIGINT');
    assert.equal((await fetch(`${host.url}/api/old`)).status, 200);
    assert.equal(host.appPid, pid);
    await host.close();
    assert.ok(!runs(pid));
    assert.equal(host.appPid, undefined);
  });
});
