import { badRequest } from './errors.ts';
import type { Json } from './json.ts';

const SECOND_MS = 1000;
/** "Never expires", on a container as on a document. */
export const NEVER = -1;

/** Checks a `ttl` or `defaultTtl`. @returns seconds, or `undefined` when there is none. @throws {CosmosError} 400 */
export function parseTimeToLive(value: Json | undefined, property: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && (value > 0 || value === NEVER)) return value;
  throw badRequest(
    `The input ${property} '${JSON.stringify(value)}' is invalid: it must be -1 or a whole number of seconds above 0.`,
  );
}

/**
 * When a document expires, in milliseconds since 1970, or `null` for never. A document's own `ttl` counts only where
 * the container has time to live switched on (`defaultTtl` present), as the service documents it.
 */
export function expiryMs(writtenAtMs: number, defaultTtl: number | undefined, ttl: number | undefined): number | null {
  if (defaultTtl === undefined) return null;
  const seconds = ttl ?? defaultTtl;
  return seconds === NEVER ? null : writtenAtMs + seconds * SECOND_MS;
}
