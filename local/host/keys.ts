import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AuthLevel } from './registration.ts';

const KEY_HEADER = 'x-functions-key';
const KEY_PARAMETER = 'code';

/** The key that a request brings, in the header or else in the query. */
export function presentedKey(request: IncomingMessage, query: URLSearchParams): string | undefined {
  const header = request.headers[KEY_HEADER];
  return (Array.isArray(header) ? header[0] : header) ?? query.get(KEY_PARAMETER) ?? undefined;
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The one local key: it opens functions of level `function` and `admin`, and the admin routes. */
export class FunctionKey {
  readonly #digest: Buffer;

  constructor(key: string) {
    this.#digest = digest(key);
  }

  /** Compares digests, so that neither content nor length of the key shows in the time it takes. */
  opens(level: AuthLevel, presented: string | undefined): boolean {
    return level === 'anonymous' || (presented !== undefined && timingSafeEqual(digest(presented), this.#digest));
  }
}
