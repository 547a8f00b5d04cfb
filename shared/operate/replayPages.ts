import { packContinuation, unpackContinuation } from '../ingest/page.ts';
import type { DeadLetterFilter } from '../store/deadLetterFilter.ts';
import type { DeadLetterAddress, DeadLetterStore, DeadLetterTurn } from '../store/deadLetters.ts';

/** Which dead letters to replay, and how. */
export interface ReplayRequest {
  readonly which: { readonly ids: readonly DeadLetterAddress[] } | { readonly filter: DeadLetterFilter };
  /** Takes changes in that are older than tombstones live, too. */
  readonly force: boolean;
  /** Where the call before ended; null for the first. */
  readonly continuation: string | null;
}

const LETTERS_PER_PAGE = 50;

/** The letters of a request in the order in which they came, some at a time. A place is what the next page begins with. */
export interface Pages {
  readonly start: string | null;
  read(place: string | null): Promise<LetterPage>;
  remaining(place: string): Promise<number>;
  pack(place: string): string;
}

export interface LetterPage {
  readonly letters: readonly DeadLetterAddress[];
  readonly next: string | null;
}

/** Throws ContinuationError for a continuation that is not of this list. */
export function pagesOf(store: DeadLetterStore, { which, continuation }: ReplayRequest): Pages {
  return 'ids' in which ? pagesOfIds(store, which.ids, continuation) : pagesOfFilter(store, which.filter, continuation);
}

/** A place is the turn of the letter before: by the next call those before it may be gone. */
function pagesOfIds(store: DeadLetterStore, ids: readonly DeadLetterAddress[], continuation: string | null): Pages {
  let found: Promise<readonly DeadLetterTurn[]> | undefined;
  const after = async (place: string | null) => {
    found ??= store.inTurn(ids);
    const all = await found;
    return place === null ? all : all.filter(({ turn }) => turn > place);
  };
  return {
    start: continuation === null ? null : String(unpackContinuation(continuation, ['string'])[0]),
    async read(place) {
      const rest = await after(place);
      const page = rest.slice(0, LETTERS_PER_PAGE);
      // Those that are not there are counted once, at the beginning.
      const missing = place === null ? missingOf(ids, rest) : [];
      const next = rest.length > LETTERS_PER_PAGE ? (page.at(-1)?.turn ?? null) : null;
      return { letters: [...missing, ...page].map(addressOf), next };
    },
    remaining: async (place) => (await after(place)).length,
    pack: (place) => packContinuation([place]),
  };
}

function pagesOfFilter(store: DeadLetterStore, given: DeadLetterFilter, continuation: string | null): Pages {
  // What comes in while it is replayed belongs to the next time, or a stream of bad records would keep it going for ever.
  const [start, until] =
    continuation === null
      ? [null, new Date().toISOString()]
      : unpackContinuation(continuation, ['string', 'string']).map(String);
  const to = given.to !== undefined && given.to < String(until) ? given.to : String(until);
  const filter = { ...given, to };
  return {
    start: start ?? null,
    async read(place) {
      const page = await store.list(filter, { limit: LETTERS_PER_PAGE, continuation: place, order: 'turn' });
      return { letters: page.items.map(addressOf), next: page.continuation };
    },
    remaining: (place) => store.count(filter, place),
    pack: (place) => packContinuation([place, to]),
  };
}

function missingOf(
  ids: readonly DeadLetterAddress[],
  found: readonly DeadLetterAddress[],
): readonly DeadLetterAddress[] {
  const known = new Set(found.map(nameOf));
  return ids.filter((address) => !known.has(nameOf(address)));
}

function nameOf({ stream, id }: DeadLetterAddress): string {
  return `${stream}\n${id}`;
}

function addressOf({ stream, id }: DeadLetterAddress): DeadLetterAddress {
  return { stream, id };
}
