import { createHash } from 'node:crypto';
import { badRequest } from './errors.ts';
import { isJsonObject } from './json.ts';
import type { StreamPosition } from './sql/execute.ts';

/** Where the next page begins: at a row of a streaming query, or at an index of a result that is kept. */
export type Continuation =
  | { readonly kind: 'stream'; readonly position: StreamPosition }
  | { readonly kind: 'result'; readonly result: string; readonly index: number };

const FINGERPRINT_LENGTH = 16;

/** Identifies a query with its parameters and partition key, so that a token cannot continue another query. */
export function fingerprint(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return hash.slice(0, FINGERPRINT_LENGTH);
}

export function encodeContinuation(query: string, continuation: Continuation): string {
  return Buffer.from(JSON.stringify({ query, ...continuation })).toString('base64url');
}

/** @throws {CosmosError} 400 for a token that was not made here, or for another query */
export function decodeContinuation(query: string, token: string): Continuation {
  const value = parse(token);
  if (isJsonObject(value) && value.query === query) {
    const { kind, position, result, index } = value;
    if (kind === 'result' && typeof result === 'string' && isCount(index)) return { kind, result, index };
    if (kind === 'stream' && isJsonObject(position)) {
      const { document, row, offset, limit } = position;
      if (isCount(document) && isCount(row) && isCount(offset) && (limit === undefined || isCount(limit))) {
        return { kind, position: { document, row, offset, limit } };
      }
    }
  }
  throw badRequest('INVALID_CONTINUATION_TOKEN: the continuation token does not belong to this query.');
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
