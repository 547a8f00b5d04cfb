import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type FunctionsHost, type FunctionsHostOptions, startFunctionsHost } from '../../../local/host/host.ts';

export const FUNCTION_KEY = 'the local key';
const POLL_MS = 10;
const GIVE_UP_MS = 20_000;

/** Where to leave what must be closed when a test ends; a test's own context is one. */
export interface Cleanup {
  after(close: () => void | Promise<void>): void;
}

export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

/** A host for a fixture app; closed when the test ends. */
export async function startFixture(
  test: Cleanup,
  name: string,
  options: Partial<FunctionsHostOptions> = {},
): Promise<FunctionsHost & { readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const host = await startFunctionsHost({
    appRoot: fixture(name),
    settings: {},
    functionKey: FUNCTION_KEY,
    log: (line) => lines.push(line),
    ...options,
  });
  test.after(() => host.close());
  return Object.assign(host, { lines });
}

/** A file to which a fixture appends one JSON value per line; removed when the test ends. */
export function journal<Entry = Record<string, unknown>>(test: Cleanup): { path: string; entries(): Entry[] } {
  const folder = mkdtempSync(join(tmpdir(), 'host-test-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'journal');
  const read = () => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  return {
    path,
    // A killed process may leave half a line behind.
    entries: () =>
      read()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  };
}

/** Waits until `condition` gives something other than undefined or false. */
export async function eventually<T>(
  condition: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = Date.now() + GIVE_UP_MS;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) {
      return value;
    }
    assert.ok(Date.now() < deadline, `nothing after ${GIVE_UP_MS} ms: ${condition}`);
    await delay(POLL_MS);
  }
}
