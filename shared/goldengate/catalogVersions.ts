import { UnprocessableError } from '../ingest/reasons.ts';

/** What a `catalog` document keeps of something that it was told. */
export interface Version {
  /** When it came for the first time, ISO 8601, however often it came since; of one that was dropped, when it came back. */
  readonly firstSeenAt: string;
}

/**
 * Far below what a document may have: the catalog is read with every request. A table's document holds four such things,
 * its versions, columns, key and types, and has to hold them itself: what is moved out of it could not be read.
 */
const MAX_VERSIONS_BYTES = 400_000;

/**
 * `versions` and after them one that came just now, as many as may be kept: what did not come for longest goes first. One
 * that is kept already (`isSame`) moves to the end: a frame that comes again, with all that it says of a table, adds nothing.
 * Throws UnprocessableError (`store-rejected`) if not even the new one may be kept.
 */
export function withVersion<Kept extends Version>(
  versions: readonly Kept[],
  version: Kept,
  isSame: (kept: Kept) => boolean,
): readonly Kept[] {
  const known = versions.filter(isSame);
  const newest = { ...version, firstSeenAt: known[0]?.firstSeenAt ?? version.firstSeenAt };
  let bytes = refuseTooLarge(newest);
  const kept = [newest];
  for (const older of versions.toReversed()) {
    if (known.includes(older)) continue;
    bytes += Buffer.byteLength(JSON.stringify(older));
    if (bytes > MAX_VERSIONS_BYTES) break;
    kept.unshift(older);
  }
  return kept;
}

/** Returns the size. Throws UnprocessableError (`store-rejected`). */
export function refuseTooLarge(content: object): number {
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes <= MAX_VERSIONS_BYTES) return bytes;
  throw new UnprocessableError('store-rejected', `the catalog takes entries up to ${MAX_VERSIONS_BYTES} bytes`);
}
