import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Change, DeadLetter, RowDocument, Status, TableSummary } from '../../page/contract.ts';
import { composePage } from '../../shared/operate/page.ts';

/** What the fixture answers; tests change it while the page is open. */
export interface FixtureState {
  status(): Status;
  tables: readonly TableSummary[];
  rows: readonly RowDocument[];
  changes: readonly Change[];
  letters: readonly DeadLetter[];
  /** While it is set, every call but the page itself fails with it. */
  failure: { readonly status: number; readonly error: string } | undefined;
}

export interface FixtureApi {
  readonly url: string;
  readonly state: FixtureState;
  /** What was asked for that changes something, with its body. */
  readonly commands: string[];
  close(): Promise<void>;
}

export const FIXTURE_KEY = 'fixture-key';

/** The page and an API that answers by the contract out of `state`; for what the real stack does not say on demand. */
export async function startFixtureApi(state: FixtureState): Promise<FixtureApi> {
  const commands: string[] = [];
  const page = composePage();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://fixture');
    if (url.pathname === '/api/ui') {
      response.writeHead(200, page.headers).end(page.html);
      return;
    }
    const body = await read(request);
    const { status, json } = answer(state, commands, request, url, body);
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(json === undefined ? '' : JSON.stringify(json));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/ui`,
    state,
    commands,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

interface Answered {
  readonly status: number;
  readonly json?: unknown;
}

function answer(state: FixtureState, commands: string[], request: IncomingMessage, url: URL, body: string): Answered {
  const path = url.pathname.replace('/api/', '');
  const dependencies = { cosmos: { status: 'up', milliseconds: 4 }, storage: { status: 'up', milliseconds: 7 } };
  if (path === 'health') return { status: 200, json: { status: 'up', dependencies } };
  if (request.headers['x-functions-key'] !== FIXTURE_KEY) return { status: 401 };
  if (state.failure !== undefined) return { status: state.failure.status, json: { error: state.failure.error } };
  if (request.method !== 'GET') {
    commands.push(`${request.method} ${path} ${body}`);
    return command(state, path, body);
  }
  if (path === 'status') return { status: 200, json: state.status() };
  if (path === 'tables') return { status: 200, json: { tables: state.tables, continuation: null } };
  if (path === 'rows') return rows(state, url.searchParams);
  if (path === 'deadletters') {
    const { searchParams: wanted } = url;
    const deadLetters = state.letters.filter(({ reason }) => [null, reason].includes(wanted.get('reason')));
    return { status: 200, json: { deadLetters, continuation: null } };
  }
  const found = state.letters.find(({ id }) => path === `deadletters/${encodeURIComponent(id)}`);
  return found === undefined ? { status: 404, json: { error: 'no such dead letter' } } : { status: 200, json: found };
}

function rows({ rows: all, changes }: FixtureState, wanted: URLSearchParams): Answered {
  const ofTable = all.filter(({ table }) => table === wanted.get('table'));
  const id = wanted.get('id');
  if (id === null) return { status: 200, json: { rows: ofTable, continuation: null } };
  const row = ofTable.find((each) => each.id === id) ?? null;
  return { status: 200, json: { row, changes, continuation: null } };
}

function command(state: FixtureState, path: string, body: string): Answered {
  if (path !== 'deadletters/replay') {
    state.letters = state.letters.filter(({ id }) => path !== `deadletters/${encodeURIComponent(id)}`);
    return { status: 204 };
  }
  const { ids } = JSON.parse(body) as { readonly ids?: readonly { readonly id: string }[] };
  const before = state.letters.length;
  state.letters = state.letters.filter(({ id }) => ids !== undefined && !ids.some((each) => each.id === id));
  const replayed = before - state.letters.length;
  const others = { duplicate: 0, stale: 0, segments: 0, parked: 0, catalog: 0, ignored: 0, stillDead: 0, missing: 0 };
  const end = { remaining: 0, continuation: null, errors: [] };
  return { status: 200, json: { replayed, applied: replayed, ...others, ...end } };
}
