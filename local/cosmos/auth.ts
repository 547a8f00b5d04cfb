import { createHmac, timingSafeEqual } from 'node:crypto';
import { CosmosError } from './errors.ts';

/** The key of every local gateway that is given no other: it protects nothing, it makes a wrong set-up visible. */
export const DEFAULT_MASTER_KEY = Buffer.from(
  'tributary local cosmos gateway: a public key, not a secret. 2026',
).toString('base64');

export interface SignedRequest {
  readonly method: string;
  /** As the signature names it: `dbs`, `colls`, `docs`, `pkranges`, or empty for the account. */
  readonly resourceType: string;
  /** The link that is signed, names decoded: the resource itself, or the parent of a feed. */
  readonly resourceLink: string;
  readonly date: string | undefined;
  readonly authorization: string | undefined;
}

/**
 * Checks the master key signature of a request, as described in the service's REST reference, "Access control":
 * HMAC-SHA256 over verb, resource type, resource link and date.
 * @throws {CosmosError} 401 when it is missing, of another kind, or made with another key
 */
export function authorize(request: SignedRequest, masterKey: string): void {
  const { authorization, date } = request;
  if (authorization === undefined) throw new CosmosError(401, 'Required header authorization is missing.');
  if (date === undefined) throw new CosmosError(401, 'Required header x-ms-date is missing.');
  const fields = new URLSearchParams(decode(authorization).replaceAll('+', '%2B'));
  if (fields.get('type') !== 'master') {
    throw new CosmosError(401, 'The local gateway accepts master key authorization only.');
  }
  const { method, resourceType, resourceLink } = request;
  const text = `${method.toLowerCase()}\n${resourceType}\n${resourceLink}\n${date.toLowerCase()}\n\n`;
  const expected = createHmac('sha256', Buffer.from(masterKey, 'base64')).update(text).digest();
  const given = Buffer.from(fields.get('sig') ?? '', 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new CosmosError(
      401,
      "The input authorization token can't serve the request. The wrong key is being used or the expected payload is " +
        `not built as per the protocol: ${method} ${resourceType} ${resourceLink}`,
    );
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new CosmosError(401, 'The authorization header is not URL encoded.', { cause });
  }
}
