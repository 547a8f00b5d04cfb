import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DevTools } from './devTools.ts';
import { BrowserTab } from './tab.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 5_000;
const POLL_MS = 50;
/** No sandbox, because tests also run as root in containers; nothing that talks to anybody but the page under test. */
const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
  '--remote-debugging-port=0',
];

/** Thrown when the browser does not come up. */
export class BrowserError extends Error {
  override readonly name = 'BrowserError';
}

/** A headless browser with a profile of its own. */
export interface Browser {
  open(): Promise<BrowserTab>;
  close(): Promise<void>;
}

/** Where Chromium is on PATH; undefined where there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** Starts `program`. Throws BrowserError. */
export async function startChromium(program: string): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'tributary-chromium-'));
  const child = spawn(program, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], { stdio: 'ignore' });
  let devTools: DevTools | undefined;
  const close = async () => {
    await devTools?.send('Browser.close').catch(() => undefined);
    devTools?.close();
    await stop(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    devTools = await DevTools.connect(await debuggerUrl(child, profile));
    const connected = devTools;
    return { open: () => BrowserTab.open(connected), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The browser writes the port that it took into its profile. */
async function debuggerUrl(child: ChildProcess, profile: string): Promise<string> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const content = await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '');
    const [port, path] = content.split('\n');
    if (port !== undefined && path !== undefined) return `ws://127.0.0.1:${port}${path.trim()}`;
    await delay(POLL_MS);
  }
  throw new BrowserError(`the browser did not start within ${START_TIMEOUT_MS} ms (exit code ${child.exitCode})`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await once(child, 'exit');
  clearTimeout(force);
}
