import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from './errors.ts';
import type { Json } from './json.ts';

/** A request whose body has been read. */
export interface GatewayRequest {
  readonly method: string;
  /** The decoded segments of the path: `dbs`, name, `colls`, name, `docs`, id. */
  readonly path: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface GatewayResponse {
  readonly status: number;
  /** JSON text; absent for an answer without a body. */
  readonly text?: string | undefined;
  readonly etag?: string | undefined;
  readonly continuation?: string | undefined;
  readonly itemCount?: number;
  /** Request units. */
  readonly charge: number;
}

/** A header's one value; `undefined` when it is absent. */
export function header(request: GatewayRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

export function isTrue(request: GatewayRequest, name: string): boolean {
  return header(request, name)?.toLowerCase() === 'true';
}

/** The body as JSON. @throws {CosmosError} 400 */
export function parseBody(request: GatewayRequest): Json {
  try {
    return JSON.parse(request.body.toString('utf8'));
  } catch (cause) {
    throw badRequest('The request body is not valid JSON.', { cause });
  }
}
