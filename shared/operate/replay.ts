import { setTimeout as delay } from 'node:timers/promises';
import type { Source } from '../change/change.ts';
import type { Outcome } from '../ingest/delivery.ts';
import { packContinuation, unpackContinuation } from '../ingest/page.ts';
import type { Replayer } from '../ingest/replay.ts';
import type { DeadLetterFilter } from '../store/deadLetterFilter.ts';
import type { DeadLetterAddress, DeadLetterDocument, DeadLetterStore } from '../store/deadLetters.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import { backoffMs } from '../store/operations.ts';
import { deadRecordOf } from './deadLetterView.ts';

/** Which dead letters to replay, and how. */
export interface ReplayRequest {
  readonly which: { readonly ids: readonly DeadLetterAddress[] } | { readonly filter: DeadLetterFilter };
  /** Takes changes in that are older than tombstones live, too. */
  readonly force: boolean;
  /** Where the call before ended; null for the first. */
  readonly continuation: string | null;
}

/** What became of them. Each is counted in `replayed`, `stillDead` or `missing`; outcomes count the replayed ones. */
export interface ReplayReport {
  readonly replayed: number;
  readonly applied: number;
  readonly duplicate: number;
  readonly stale: number;
  /** Pieces of split events that wait for the rest again. */
  readonly segments: number;
  readonly parked: number;
  readonly catalog: number;
  readonly ignored: number;
  readonly stillDead: number;
  readonly missing: number;
  /** Of those that are still dead. */
  readonly errors: readonly ReplayError[];
  /** How many are left for the next call, which `continuation` is for. */
  readonly remaining: number;
  readonly continuation: string | null;
}

export interface ReplayError extends DeadLetterAddress {
  readonly reason: string;
  readonly detail: string;
}

export interface ReplayParts {
  readonly deadLetters: DeadLetterStore;
  /** Undefined for a stream that there is no more. */
  readonly replayerOf: (letter: DeadLetterDocument, force: boolean) => Replayer | undefined;
}

/** A call ends after so long, or so many; the platform cuts requests off after 230 seconds. */
const TIME_LIMIT_MS = 60_000;
const LETTERS_PER_CALL = 1_000;
const LETTERS_PER_PAGE = 50;
/** Small: the streams go on meanwhile, and need the same request units. */
const LETTERS_IN_FLIGHT = 4;
const MAX_ROUNDS = 50;
const MAX_ERRORS = 100;

type Taken = Exclude<Outcome['outcome'], 'deadLettered'>;
/** Of a record that held several changes, what it is counted as. */
const MOST_TELLING: readonly Taken[] = ['applied', 'stale', 'duplicate', 'parked', 'segment', 'catalog', 'ignored'];

type Verdict = { readonly taken: Taken } | { readonly dead: ReplayError } | 'missing';

/**
 * Runs dead letters through today's code. A letter is removed only when all that is in it is durable somewhere else, and
 * only if it is still the version that was replayed: a piece that joined it meanwhile is replayed too. Whoever stops in
 * between, or does the same at the same time, changes nothing: what was taken in before is a duplicate then.
 * Throws StoreUnavailableError, and ContinuationError for one that is not ours.
 */
export async function replayDeadLetters(
  { deadLetters, replayerOf }: ReplayParts,
  request: ReplayRequest,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<ReplayReport> {
  const tally = new Tally();
  const deadline = Date.now() + timeLimitMs;
  const pages = pagesOf(deadLetters, request);
  for (let place = pages.start; ; ) {
    const { letters, next } = await pages.read(place);
    const queue = letters.values();
    const worker = async () => {
      for (const letter of queue) tally.add(await replayOne(deadLetters, replayerOf, letter, request.force));
    };
    await Promise.all(Array.from({ length: LETTERS_IN_FLIGHT }, worker));
    if (next === null) return tally.report(0, null);
    if (Date.now() > deadline || tally.letters >= LETTERS_PER_CALL) {
      return tally.report(await pages.remaining(next), pages.pack(next));
    }
    place = next;
  }
}

async function replayOne(
  store: DeadLetterStore,
  replayerOf: ReplayParts['replayerOf'],
  address: DeadLetterAddress,
  force: boolean,
): Promise<Verdict> {
  let taken: Taken | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (round > 0) await delay(backoffMs(round));
    const version = await store.read(address);
    // Removed by somebody who replayed it at the same time: what it held has been taken in.
    if (version === undefined) return taken === undefined ? 'missing' : { taken };
    const { document, etag } = version;
    const replayer = replayerOf(document, force);
    if (replayer === undefined) {
      return { dead: { ...address, reason: document.reason, detail: notReplayable(document.source) } };
    }
    const outcomes = await replayer.replay(deadRecordOf(document));
    const own = outcomes.find((each) => each.outcome === 'deadLettered' && each.deadLetterId === address.id);
    if (own?.outcome === 'deadLettered') {
      await noteFailure(store, address, own);
      return { dead: { ...address, reason: own.reason, detail: own.detail } };
    }
    const other = outcomes.find((each) => each.outcome === 'deadLettered');
    taken = MOST_TELLING.find((outcome) => outcomes.some((each) => each.outcome === outcome)) ?? 'ignored';
    if ((await store.remove(address, etag)) === 'conflict') continue;
    // What failed is kept under another id, for instance because a split event is whole now and still cannot be read.
    if (other?.outcome === 'deadLettered') {
      return { dead: { stream: address.stream, id: other.deadLetterId, reason: other.reason, detail: other.detail } };
    }
    return { taken };
  }
  throw new StoreUnavailableError(`a dead letter was written by others ${MAX_ROUNDS} times in a row`);
}

async function noteFailure(
  store: DeadLetterStore,
  address: DeadLetterAddress,
  { reason, detail }: Extract<Outcome, { readonly outcome: 'deadLettered' }>,
): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const version = await store.read(address);
    if (version === undefined) return;
    const { document, etag } = version;
    const noted = { ...document, reason, detail, tries: document.tries + 1, triedAt: new Date().toISOString() };
    if ((await store.replace(noted, etag)) === 'written') return;
    await delay(backoffMs(round));
  }
}

function notReplayable(source: Source): string {
  return `not replayable: the ${source} stream that it came from is not in the settings any more`;
}

/** The letters of a request, some at a time. A place is what the next page begins with. */
interface Pages {
  readonly start: string | null;
  read(place: string | null): Promise<{ readonly letters: readonly DeadLetterAddress[]; readonly next: string | null }>;
  remaining(place: string): Promise<number>;
  pack(place: string): string;
}

function pagesOf(store: DeadLetterStore, { which, continuation }: ReplayRequest): Pages {
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

const COUNTED_AS = {
  applied: 'applied',
  duplicate: 'duplicate',
  stale: 'stale',
  segment: 'segments',
  parked: 'parked',
  catalog: 'catalog',
  ignored: 'ignored',
} as const satisfies { [Name in Taken]: keyof ReplayReport };

class Tally {
  readonly #outcomes = { applied: 0, duplicate: 0, stale: 0, segments: 0, parked: 0, catalog: 0, ignored: 0 };
  readonly #errors: ReplayError[] = [];
  #replayed = 0;
  #stillDead = 0;
  #missing = 0;

  get letters(): number {
    return this.#replayed + this.#stillDead + this.#missing;
  }

  add(verdict: Verdict): void {
    if (verdict === 'missing') this.#missing++;
    else if ('taken' in verdict) {
      this.#replayed++;
      this.#outcomes[COUNTED_AS[verdict.taken]]++;
    } else {
      this.#stillDead++;
      if (this.#errors.length < MAX_ERRORS) this.#errors.push(verdict.dead);
    }
  }

  report(remaining: number, continuation: string | null): ReplayReport {
    return {
      replayed: this.#replayed,
      ...this.#outcomes,
      stillDead: this.#stillDead,
      missing: this.#missing,
      errors: this.#errors,
      remaining,
      continuation,
    };
  }
}
