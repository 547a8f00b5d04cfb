import { setTimeout as delay } from 'node:timers/promises';
import type { Source } from '../change/change.ts';
import type { Outcome } from '../ingest/delivery.ts';
import type { DeadLetterReason } from '../ingest/reasons.ts';
import type { Replayer } from '../ingest/replay.ts';
import type { DeadLetterAddress, DeadLetterDocument, DeadLetterStore } from '../store/deadLetters.ts';
import { StoreUnavailableError, ValueGoneError } from '../store/errors.ts';
import { backoffMs } from '../store/operations.ts';
import { deadRecordOf } from './deadLetterView.ts';
import { pagesOf, type ReplayRequest } from './replayPages.ts';
import { type DeadVerdict, MOST_TELLING, type ReplayReport, type Taken, Tally, type Verdict } from './replayReport.ts';
import { Turns } from './turns.ts';

export interface ReplayParts {
  readonly deadLetters: DeadLetterStore;
  /** Undefined for a stream that there is no more. */
  readonly replayerOf: (letter: DeadLetterDocument, force: boolean) => Replayer | undefined;
}

/** A call ends after so long, or so many; the platform cuts requests off after 230 seconds. */
const TIME_LIMIT_MS = 60_000;
const LETTERS_PER_CALL = 1_000;
/** Small: the streams go on meanwhile, and need the same request units. */
const LETTERS_IN_FLIGHT = 4;
const MAX_ROUNDS = 50;

/**
 * Runs dead letters through today's code. A letter is removed only when all that is in it is durable somewhere else, and
 * only if it is still the version that was replayed: a piece that joined it meanwhile is replayed too. Whoever stops in
 * between, or does the same at the same time, changes nothing: what was taken in before is a duplicate then.
 * Letters of one stream are taken in one after another, in the order in which they came: a change that moves a row takes
 * along what is in it by then. While one is taken in, the next are read, and those before are removed.
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
  const replay = { store: deadLetters, replayerOf, turns: new Turns(), force: request.force };
  for (let place = pages.start; ; ) {
    const { letters, next } = await pages.read(place);
    const queue = letters.values();
    const worker = async () => {
      for (const letter of queue) tally.add(await replaySafely(replay, letter));
    };
    await Promise.all(Array.from({ length: LETTERS_IN_FLIGHT }, worker));
    if (next === null) return tally.report(0, null);
    if (Date.now() > deadline || tally.letters >= LETTERS_PER_CALL) {
      return tally.report(await pages.remaining(next), pages.pack(next));
    }
    place = next;
  }
}

/** What letters are replayed with. */
interface Replay extends Pick<ReplayParts, 'replayerOf'> {
  readonly store: DeadLetterStore;
  readonly turns: Turns;
  readonly force: boolean;
}

/** A fault of ours in the handling of one letter, or the loss of its bytes, must not keep the others from being replayed. */
async function replaySafely(replay: Replay, address: DeadLetterAddress): Promise<Verdict> {
  try {
    return await replayOne(replay, address);
  } catch (error) {
    if (error instanceof ValueGoneError) {
      return { dead: { stream: address.stream, id: address.id, reason: 'bytes-gone', detail: error.message } };
    }
    if (error instanceof StoreUnavailableError) throw error;
    const detail = `the replay failed: ${error instanceof Error ? `${error.name}: ${error.message}` : error}`;
    await noteFailure(replay.store, address, { detail });
    return { dead: { stream: address.stream, id: address.id, reason: 'internal-fault', detail } };
  }
}

async function replayOne(replay: Replay, address: DeadLetterAddress): Promise<Verdict> {
  const { store } = replay;
  let taken: Taken | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (round > 0) await delay(backoffMs(round));
    const attempt = await takeIn(replay, address);
    // Removed by somebody who replayed it at the same time: what it held has been taken in.
    if (attempt === undefined) return taken === undefined ? 'missing' : { taken };
    if ('dead' in attempt) return attempt;
    const { etag, outcomes } = attempt;
    const own = outcomes.find((each) => each.outcome === 'deadLettered' && each.deadLetterId === address.id);
    if (own?.outcome === 'deadLettered') {
      await noteFailure(store, address, { reason: own.reason, detail: own.detail });
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

/**
 * Takes a letter in as it is now; undefined when there is none. Its turn is taken before anything is waited for: letters
 * have their turns in the order of the calls.
 */
async function takeIn(
  { store, replayerOf, turns, force }: Replay,
  address: DeadLetterAddress,
): Promise<{ readonly etag: string; readonly outcomes: readonly Outcome[] } | DeadVerdict | undefined> {
  const reading = store.read(address);
  // Its failure is heard when its turn comes; that nobody does so yet must not end the process.
  reading.catch(() => undefined);
  return turns.take(address.stream, async () => {
    const version = await reading;
    if (version === undefined) return undefined;
    const { document, etag } = version;
    const replayer = replayerOf(document, force);
    if (replayer === undefined) {
      return { dead: { ...address, reason: document.reason, detail: notReplayable(document.source) } };
    }
    return { etag, outcomes: await replayer.replay(deadRecordOf(document)) };
  });
}

async function noteFailure(
  store: DeadLetterStore,
  address: DeadLetterAddress,
  today: { readonly reason?: DeadLetterReason; readonly detail: string },
): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const version = await store.read(address);
    if (version === undefined) return;
    const { document, etag } = version;
    const { reason = document.reason, detail } = today;
    const noted = { ...document, reason, detail, tries: document.tries + 1, triedAt: new Date().toISOString() };
    if ((await store.replace(noted, etag)) === 'written') return;
    await delay(backoffMs(round));
  }
}

function notReplayable(source: Source): string {
  return `not replayable: the ${source} stream that it came from is not in the settings any more`;
}
