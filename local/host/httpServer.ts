import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { AdminApi } from './adminApi.ts';
import type { Log } from './appChild.ts';
import type { AppSupervisor } from './appSupervisor.ts';
import { AppUnavailableError, InvocationCancelledError, messageOf } from './errors.ts';
import { type Answer, readBody, toAnswer, toHttpData } from './httpMessages.ts';
import { type FunctionKey, presentedKey } from './keys.ts';
import type { HttpFunction } from './registration.ts';
import { compareRoutes, matchRoute, type RouteParameters } from './routes.ts';

const LOOPBACK = '127.0.0.1';
/** How long a request waits for an app that restarts. */
const READY_WITHIN_MS = 10_000;
/** Azure's load balancer gives up after this, whatever `functionTimeout` says. */
const RESPONSE_TIMEOUT_MS = 230_000;
const ADMIN_PREFIX = '/admin/';
/** Anything else in a Host header could move the border between authority and path. */
const AUTHORITY = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i;

export interface HttpServerOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly functions: readonly HttpFunction[];
  readonly key: FunctionKey;
  readonly supervisor: AppSupervisor;
  readonly admin: AdminApi;
  readonly log: Log;
}

/** The port on which HTTP functions and the admin routes answer. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #functions: readonly HttpFunction[];
  readonly #server: Server;
  #port = 0;
  #closing = false;

  private constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#functions = options.functions.toSorted((a, b) => compareRoutes(a.route, b.route));
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Rejects with the system's error when the port is taken. */
  static async listen(options: HttpServerOptions): Promise<HttpServer> {
    const server = new HttpServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(options.port, LOOPBACK, resolve);
    });
    const address = server.#server.address();
    server.#port = typeof address === 'object' && address !== null ? address.port : options.port;
    return server;
  }

  get url(): string {
    return `http://${LOOPBACK}:${this.#port}`;
  }

  /** Takes no new requests and resolves when those in flight have been answered. */
  async close(): Promise<void> {
    this.#closing = true;
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Cuts whatever is still connected. */
  closeAllConnections(): void {
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const answer = await this.#answer(request);
      // A connection that stayed open would hold up the end of the server.
      response.shouldKeepAlive &&= !this.#closing;
      write(response, answer);
    } catch (error) {
      if (!request.errored) {
        this.#options.log(`${request.method} ${request.url?.split('?')[0]} failed: ${messageOf(error)}`);
      }
      write(response, { status: 500 });
    }
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const url = this.#targetUrl(request);
    if (url === undefined) {
      return { status: 400 };
    }
    if (url.pathname.startsWith(ADMIN_PREFIX)) {
      return this.#answerAdmin(request, url);
    }
    let match: { httpFunction: HttpFunction; params: RouteParameters } | undefined;
    try {
      match = this.#route(request.method ?? '', url.pathname);
    } catch (error) {
      if (error instanceof URIError) {
        return { status: 400 };
      }
      throw error;
    }
    // A known path with another method is 404 in Azure too (azure-functions-host issues 10098 and 11625).
    if (match === undefined) {
      return { status: 404 };
    }
    if (!this.#options.key.opens(match.httpFunction.authLevel, presentedKey(request, url.searchParams))) {
      return { status: 401 };
    }
    const body = await readBody(request);
    if (body === 'tooLarge') {
      return { status: 413, headers: [['connection', 'close']] };
    }
    return this.#invoke(match.httpFunction, { http: toHttpData(request, url, match.params, body) });
  }

  async #answerAdmin(request: IncomingMessage, url: URL): Promise<Answer> {
    const authorised = this.#options.key.opens('admin', presentedKey(request, url.searchParams));
    const body = authorised ? await readBody(request) : Buffer.alloc(0);
    if (body === 'tooLarge') {
      return { status: 413, headers: [['connection', 'close']] };
    }
    return this.#options.admin.answer(request.method ?? '', url.pathname.slice(ADMIN_PREFIX.length), authorised, body);
  }

  /** The request's own authority is kept when it is a usable one, for functions build links from it. */
  #targetUrl(request: IncomingMessage): URL | undefined {
    const target = request.url ?? '';
    if (!target.startsWith('/')) {
      return undefined;
    }
    const { host } = request.headers;
    const base = host !== undefined && AUTHORITY.test(host) ? `http://${host}` : this.url;
    return URL.parse(base + target) ?? URL.parse(this.url + target) ?? undefined;
  }

  #route(method: string, path: string): { httpFunction: HttpFunction; params: RouteParameters } | undefined {
    for (const httpFunction of this.#functions) {
      const params = httpFunction.methods.includes(method) ? matchRoute(httpFunction.route, path) : undefined;
      if (params !== undefined) {
        return { httpFunction, params };
      }
    }
    return undefined;
  }

  async #invoke(httpFunction: HttpFunction, data: { http: ReturnType<typeof toHttpData> }): Promise<Answer> {
    const { supervisor, log } = this.#options;
    const timeUp = new AbortController();
    try {
      const invocation = supervisor
        .invoke(httpFunction.name, { bindingName: httpFunction.bindingName, data }, READY_WITHIN_MS)
        .then(({ returnValue }) => toAnswer(returnValue));
      const timeout = delay(RESPONSE_TIMEOUT_MS, { status: 504 } as Answer, { signal: timeUp.signal });
      return await Promise.race([invocation, timeout]);
    } catch (error) {
      log(`${httpFunction.name}: ${messageOf(error)}`);
      const unavailable = error instanceof AppUnavailableError || error instanceof InvocationCancelledError;
      return { status: unavailable ? 503 : 500 };
    } finally {
      timeUp.abort();
    }
  }
}

function write(response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) {
    return;
  }
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers ?? []) {
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  }
  if (answer.body !== undefined) {
    response.setHeader('content-length', answer.body.byteLength);
    response.end(answer.body);
  } else {
    response.end();
  }
}
