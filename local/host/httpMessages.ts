import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import type { RouteParameters } from './routes.ts';
import type { HttpCookie, HttpData, NullableStrings, TypedData } from './rpc.ts';

/** `FUNCTIONS_REQUEST_BODY_SIZE_LIMIT` of the real host. */
export const REQUEST_BODY_LIMIT_BYTES = 104_857_600;

const MS_PER_SECOND = 1000;
const SAME_SITE = { lax: 'Lax', strict: 'Strict', explicitNone: 'None' } as const;
/** Headers that describe the connection or the framing are the server's business. */
const SERVER_HEADERS = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);
const STATUS_WITHOUT_BODY = new Set([204, 205, 304]);

/** A whole HTTP answer. */
export interface Answer {
  readonly status: number;
  readonly headers?: readonly (readonly [name: string, value: string | readonly string[]])[];
  readonly body?: Uint8Array;
}

/**
 * Reads a request body. Returns `'tooLarge'` over the limit. A chunked body is read and thrown away: without
 * HTTP streaming the real host fills the body only where there is a Content-Length.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | 'tooLarge'> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > REQUEST_BODY_LIMIT_BYTES) {
    return 'tooLarge';
  }
  if (length === 0) {
    request.resume();
    await finished(request);
    return Buffer.alloc(0);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function nullable(entries: Iterable<readonly [string, string]>): NullableStrings {
  return Object.fromEntries(Array.from(entries, ([name, value]) => [name, { value }]));
}

/** The request as the library reads it. Repeated query parameters arrive joined by commas, as in Azure. */
export function toHttpData(request: IncomingMessage, url: URL, params: RouteParameters, body: Buffer): HttpData {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    const earlier = query.get(name);
    query.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return {
    url: url.href,
    method: request.method ?? 'GET',
    nullableHeaders: nullable(headers),
    nullableQuery: nullable(query),
    nullableParams: nullable(Object.entries(params)),
    body: body.length === 0 ? undefined : { bytes: body },
  };
}

function bodyBytes(data: TypedData | null | undefined): Uint8Array {
  if (data?.bytes !== undefined) {
    return data.bytes;
  }
  return Buffer.from(data?.string ?? data?.json ?? String(data?.int ?? data?.double ?? ''));
}

function toSetCookie(cookie: HttpCookie): string {
  const { domain, path, expires, maxAge, secure, httpOnly, sameSite } = cookie;
  const attributes = [
    `${cookie.name}=${encodeURIComponent(cookie.value)}`,
    domain && `domain=${domain.value}`,
    `path=${path?.value ?? '/'}`,
    expires && `expires=${new Date(expires.value.seconds * MS_PER_SECOND).toUTCString()}`,
    maxAge && `max-age=${maxAge.value}`,
    secure?.value && 'secure',
    httpOnly?.value && 'httponly',
    sameSite && sameSite !== 'none' && `samesite=${SAME_SITE[sameSite]}`,
  ];
  return attributes.filter((attribute) => typeof attribute === 'string').join('; ');
}

/** The function's return value as an HTTP answer; a function that returned nothing answers 204. */
export function toAnswer(returnValue: TypedData | null | undefined): Answer {
  const http = returnValue?.http;
  if (http === undefined) {
    return { status: 204 };
  }
  const status = Number(http.statusCode ?? 200);
  const headers: [string, string | string[]][] = Object.entries(http.headers ?? {}).filter(
    ([name]) => !SERVER_HEADERS.has(name.toLowerCase()),
  );
  const cookies = (http.cookies ?? []).map(toSetCookie);
  if (cookies.length > 0) {
    headers.push(['set-cookie', cookies]);
  }
  return STATUS_WITHOUT_BODY.has(status) ? { status, headers } : { status, headers, body: bodyBytes(http.body) };
}
