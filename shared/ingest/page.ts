/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** To be handed back for the next page; null on the last. */
  readonly continuation: string | null;
}

/** Thrown when a continuation is none that was handed out for this list. */
export class ContinuationError extends Error {
  override readonly name = 'ContinuationError';
}

/** Packs where a page ended. Opaque to callers, safe in a URL. */
export function packContinuation(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** What `packContinuation` was given: `shape` says of each part what it is. Throws ContinuationError. */
export function unpackContinuation(
  continuation: string,
  shape: readonly ('string' | 'number')[],
): readonly (string | number)[] {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(continuation, 'base64url').toString());
  } catch (error) {
    throw new ContinuationError('the continuation is not one of ours', { cause: error });
  }
  if (Array.isArray(place) && place.length === shape.length && place.every((part, at) => typeof part === shape[at])) {
    return place;
  }
  throw new ContinuationError('the continuation is not one of this list');
}
