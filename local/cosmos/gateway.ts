import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { authorize, DEFAULT_MASTER_KEY } from './auth.ts';
import { Catalog } from './catalog.ts';
import { badRequest, type CosmosError, fromUnexpected, tooLarge } from './errors.ts';
import type { GatewayRequest, GatewayResponse } from './http.ts';
import type { JsonObject } from './json.ts';
import { QueryRunner } from './queries.ts';
import { FAILED_OPERATION_UNITS } from './requestUnits.ts';
import { route } from './router.ts';

/** The largest request that is kept in memory: a document or batch of 2 MB, and what bulk wraps around it. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
/** Beyond this a client is cut off; up to it, it gets to read its 413. */
const MAX_DRAINED_BYTES = 64 * 1024 * 1024;
/** Longer than clients leave a connection idle, so that none is closed under a request. */
const KEEP_ALIVE_MS = 120_000;
const HOST = '127.0.0.1';

export interface CosmosGatewayOptions {
  /** TCP port on 127.0.0.1; 0, the default, takes a free one. */
  readonly port?: number;
  /** Base64 master key; the default is the same for every local gateway. */
  readonly key?: string;
  /** SQLite file; by default everything is in memory and ends with the gateway. */
  readonly file?: string;
  /** When set, each container is throttled at this rate. */
  readonly requestUnitsPerSecond?: number;
}

export interface CosmosGateway {
  readonly endpoint: string;
  readonly key: string;
  /** Stops listening, drops open connections and closes the file. */
  close(): Promise<void>;
}

/** Starts a local stand-in for a Cosmos DB account, for the unmodified `@azure/cosmos`, over plain HTTP. */
export async function startCosmosGateway(options: CosmosGatewayOptions = {}): Promise<CosmosGateway> {
  const key = options.key ?? DEFAULT_MASTER_KEY;
  const catalog = new Catalog(options.file ?? ':memory:', options.requestUnitsPerSecond);
  const queries = new QueryRunner();
  let endpoint = '';
  const server = createServer((message, response) => {
    void answer(message, response, (request) => {
      checkAuthorization(request, key);
      return route(catalog, queries, describeAccount(endpoint), request);
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  try {
    const port = await listen(server, options.port ?? 0);
    endpoint = `http://${HOST}:${port}`;
  } catch (error) {
    catalog.close();
    throw error;
  }
  return {
    endpoint,
    key,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      catalog.close();
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('The gateway has no TCP address.'));
    });
  });
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  handle: (request: GatewayRequest) => GatewayResponse,
): Promise<void> {
  try {
    const body = await readBody(message);
    const path = parsePath(message.url ?? '/');
    send(response, handle({ method: message.method ?? 'GET', path, headers: message.headers, body }));
  } catch (error) {
    sendError(response, fromUnexpected(error));
  }
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes > MAX_DRAINED_BYTES) message.destroy();
    else if (bytes <= MAX_REQUEST_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_REQUEST_BYTES) throw tooLarge(`Request size is too large: at most ${MAX_REQUEST_BYTES} bytes.`);
  return Buffer.concat(chunks);
}

function parsePath(url: string): string[] {
  const [path = ''] = url.split('?', 1);
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch (cause) {
    throw badRequest('The path of the request is not URL encoded.', { cause });
  }
}

/** The signature covers the named resource, or the parent of a feed, and the type of the last segment. */
function checkAuthorization(request: GatewayRequest, key: string): void {
  const { path, method, headers } = request;
  const isFeed = path.length % 2 === 1;
  const date = headers['x-ms-date'] ?? headers.date;
  authorize(
    {
      method,
      resourceType: (isFeed ? path.at(-1) : path.at(-2)) ?? '',
      resourceLink: (isFeed ? path.slice(0, -1) : path).join('/'),
      date: typeof date === 'string' ? date : undefined,
      authorization: headers.authorization,
    },
    key,
  );
}

function describeAccount(endpoint: string): JsonObject {
  const location = [{ name: 'local', databaseAccountEndpoint: `${endpoint}/` }];
  return {
    // Of an account of this name the client keeps using the address it was given, as with the official emulator.
    id: 'localhost',
    _self: '',
    _rid: 'local',
    _dbs: '//dbs/',
    media: '//media/',
    addresses: '//addresses/',
    writableLocations: location,
    readableLocations: location,
    enableMultipleWriteLocations: false,
    userConsistencyPolicy: { defaultConsistencyLevel: 'Session' },
  };
}

function send(response: ServerResponse, answer: GatewayResponse): void {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-ms-activity-id': randomUUID(),
    'x-ms-request-charge': String(answer.charge),
    'x-ms-version': '2020-07-15',
  };
  if (answer.etag !== undefined) headers.etag = answer.etag;
  if (answer.continuation !== undefined) headers['x-ms-continuation'] = answer.continuation;
  if (answer.itemCount !== undefined) headers['x-ms-item-count'] = String(answer.itemCount);
  write(response, answer.status, headers, answer.text);
}

function sendError(response: ServerResponse, error: CosmosError): void {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-ms-activity-id': randomUUID(),
    'x-ms-request-charge': String(error.status === 429 ? 0 : FAILED_OPERATION_UNITS),
  };
  if (error.substatus !== undefined) headers['x-ms-substatus'] = String(error.substatus);
  if (error.retryAfterMs !== undefined) headers['x-ms-retry-after-ms'] = String(error.retryAfterMs);
  const text = error.status === 304 ? undefined : JSON.stringify({ code: error.code, message: error.message });
  write(response, error.status, headers, text);
}

function write(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  text: string | undefined,
): void {
  if (response.destroyed) return;
  if (text === undefined) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(text)) }).end(text);
}
