import { packContinuation, unpackContinuation } from '../ingest/page.ts';
import type { DeadLetterFilter } from '../store/deadLetterFilter.ts';
import type { DeadLetterAddress, DeadLetterStore } from '../store/deadLetters.ts';

/** Which dead letters to replay, and how. */
export interface ReplayRequest {
  readonly which: { readonly ids: readonly DeadLetterAddress[] } | { readonly filter: DeadLetterFilter };
  /** Takes changes in that are older than tombstones live, too. */
  readonly force: boolean;
  /** Where the call before ended; null for the first. */
  readonly continuation: string | null;
}

const LETTERS_PER_PAGE = 50;

/** The letters of a request, some at a time. A place is what the next page begins with. */
export interface Pages {
  readonly start: string | null;
  read(place: string | null): Promise<{ readonly letters: readonly DeadLetterAddress[]; readonly next: string | null }>;
  remaining(place: string): Promise<number>;
  pack(place: string): string;
}

/** Throws ContinuationError for a continuation that is not of this list. */
export function pagesOf(store: DeadLetterStore, { which, continuation }: ReplayRequest): Pages {
  if ('ids' in which) {
    const { ids } = which;
    const start = continuation === null ? null : String(unpackContinuation(continuation, ['string'])[0]);
    return {
      start,
      async read(place) {
        const from = Number(place ?? 0);
        const end = from + LETTERS_PER_PAGE;
        return { letters: ids.slice(from, end), next: end < ids.length ? String(end) : null };
      },
      remaining: async (place) => ids.length - Number(place),
      pack: (place) => packContinuation([place]),
    };
  }
  // What comes in while it is replayed belongs to the next time, or a stream of bad records would keep it going for ever.
  const [start, until] =
    continuation === null
      ? [null, new Date().toISOString()]
      : unpackContinuation(continuation, ['string', 'string']).map(String);
  const to = which.filter.to !== undefined && which.filter.to < String(until) ? which.filter.to : String(until);
  const filter = { ...which.filter, to };
  return {
    start: start ?? null,
    async read(place) {
      const page = await store.list(filter, { limit: LETTERS_PER_PAGE, continuation: place, order: 'oldest' });
      return { letters: page.items, next: page.continuation };
    },
    remaining: (place) => store.count(filter, place),
    pack: (place) => packContinuation([place, to]),
  };
}
