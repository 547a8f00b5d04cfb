import type { NormalizedChange } from '../change/change.ts';
import type { FeedPosition } from '../ingest/cursorStore.ts';
import type { CursorKeeper } from './cursorKeeper.ts';
import { FeedNotEnabledError } from './errors.ts';
import { segmentBegin, segmentPath } from './feedPaths.ts';
import { type FoundGap, feedGap, gapMarker, isKnownGap } from './gaps.ts';
import { readLastConsumable, readManifest } from './manifest.ts';
import { segmentsIn } from './segmentIndex.ts';
import { lookAtSegment, type SegmentLook } from './segmentReader.ts';
import type { ReaderParts } from './shardReader.ts';

export interface WalkRules {
  readonly stream: string;
  /** `finalized` leaves the open segment alone until it is closed. */
  readonly mode: 'streaming' | 'finalized';
  readonly onGap: 'stop' | 'continue';
  /** Where a feed that was never read begins: after this manifest path; undefined for its first segment. */
  readonly beginAfter: string | undefined;
}

export interface WalkParts extends ReaderParts {
  readonly keeper: CursorKeeper;
  /** Makes a marker durable. */
  mark(marker: NormalizedChange): Promise<void>;
}

/**
 * One walk over the feed of one account, from where the cursor stands to the newest segment that may be read:
 *
 *   stand on a segment -- look: take in what is new --.
 *        ^      |                                       |
 *        |      |  nothing later is listed: stay, done  |
 *        |      '--------------------------------------'
 *        |   a later one is listed, and this one is finalized, or a look after that listing shows it unchanged
 *        '-- move on
 *
 * A segment is thus never left on the strength of a look that is older than its end. Segments up to `lastConsumable` count;
 * it is read first, so what is published while the walk is under way waits for the next. What was lost is a gap: it is
 * recorded once, and the walk goes over it only if the settings say so.
 */
export class FeedWalker {
  readonly #rules: WalkRules;
  readonly #parts: WalkParts;
  /** The segments after the current one, listed as they are asked for. */
  #upcoming: AsyncIterator<string> | undefined;

  constructor(rules: WalkRules, parts: WalkParts) {
    this.#rules = rules;
    this.#parts = parts;
  }

  /**
   * Walks until there is nothing more for now, the budget is spent, or a gap is in the way; notes in the cursor what it
   * found. Throws ChangeFeedError for what the operator has to see, StoreUnavailableError.
   */
  async walk(): Promise<void> {
    const { keeper, budget } = this.#parts;
    const lastConsumable = await this.#lastConsumable();
    if (lastConsumable === undefined) return;
    // There is a feed: whatever kept the last walk from it must not be said until the end of a long one.
    keeper.update({ error: keeper.cursor.openGap?.detail ?? null });
    while (!budget.isSpent) {
      const { position } = keeper.cursor;
      const gap = position === null ? await this.#begin(lastConsumable) : await this.#step(position, lastConsumable);
      if (gap === 'done') {
        // The gap that the stream stood at has closed by itself.
        if (!budget.isSpent) keeper.update({ openGap: null });
        return;
      }
      if (gap !== 'go on' && !(await this.#cross(gap))) return;
    }
  }

  /** Undefined while there is no feed. Its absence is noted where it had been read before. */
  async #lastConsumable(): Promise<Date | undefined> {
    const { keeper, source, signal } = this.#parts;
    const absent = () => {
      const { position, absentSince } = keeper.cursor;
      if (position !== null && absentSince === null) keeper.update({ absentSince: new Date().toISOString() });
    };
    try {
      const lastConsumable = await readLastConsumable(source, signal);
      if (lastConsumable === undefined) absent();
      return lastConsumable;
    } catch (error) {
      if (error instanceof FeedNotEnabledError) absent();
      throw error;
    }
  }

  async #begin(lastConsumable: Date): Promise<'go on' | 'done'> {
    const first = await this.#next(this.#rules.beginAfter, lastConsumable);
    if (first === undefined) return 'done';
    this.#parts.keeper.update({ position: { segment: first, shards: [] } });
    return 'go on';
  }

  async #step(position: FeedPosition, lastConsumable: Date): Promise<FoundGap | 'go on' | 'done'> {
    const { keeper, budget } = this.#parts;
    const begin = segmentBegin(position.segment);
    if (begin === undefined || begin > lastConsumable) return wentBack(position, lastConsumable);
    let look = await lookAtSegment(this.#parts, position);
    if (look === undefined) return this.#segmentGone(position, lastConsumable);
    if (look.gap !== undefined) return look.gap;
    const { absentSince } = keeper.cursor;
    if (absentSince !== null) return wasOff(absentSince);
    if (!look.isDrained) return 'done';
    const next = await this.#next(position.segment, lastConsumable);
    if (next === undefined) return 'done';
    while (!look.isFinalized) {
      const again: SegmentLook | undefined = await lookAtSegment(this.#parts, keeper.cursor.position ?? position);
      if (again === undefined) return 'done';
      if (again.gap !== undefined) return again.gap;
      if (!again.isDrained || budget.isSpent) return 'done';
      if (again.extent === look.extent) break;
      look = again;
    }
    keeper.update({ position: { segment: next, shards: [] } });
    return 'go on';
  }

  /** While no later segment is listed, nothing is known to be lost: an idle feed may outlive its segments. */
  async #segmentGone({ segment }: FeedPosition, lastConsumable: Date): Promise<FoundGap | 'done'> {
    const next = await this.#next(segment, lastConsumable);
    if (next === undefined) return 'done';
    return { kind: 'segment-gone', place: segment, resume: () => ({ segment: next, shards: [] }) };
  }

  /** The segment after `after` that may be read; undefined when there is none yet. */
  async #next(after: string | undefined, through: Date): Promise<string | undefined> {
    const { source, signal } = this.#parts;
    const newest = segmentPath(through);
    if (after !== undefined && after >= newest) return undefined;
    this.#upcoming ??= segmentsIn(source, { after, through }, signal)[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await this.#upcoming.next();
      if (done === true) return undefined;
      if (after !== undefined && value <= after) continue;
      if (this.#rules.mode === 'streaming' || value < newest) return value;
      return (await readManifest(source, value, signal))?.isFinalized ? value : undefined;
    }
  }

  /** Records a gap, once. Returns whether the walk went over it. */
  async #cross(found: FoundGap): Promise<boolean> {
    const { keeper, mark } = this.#parts;
    const { openGap, gaps, position } = keeper.cursor;
    const gap = isKnownGap(openGap, found) && openGap !== null ? openGap : feedGap(found, new Date().toISOString());
    if (gap !== openGap) {
      await mark(gapMarker(this.#rules.stream, gap));
      keeper.update({ openGap: gap, gaps: gaps + 1 });
      await keeper.save();
    }
    if (this.#rules.onGap === 'stop' || position === null) return false;
    keeper.update({ openGap: null, lastGap: gap, absentSince: null, position: found.resume(position) });
    await keeper.save();
    this.#upcoming = undefined;
    return true;
  }
}

function wentBack({ segment }: FeedPosition, lastConsumable: Date): FoundGap {
  const newest = segmentPath(lastConsumable);
  const resume = () => ({ segment: newest, shards: [] });
  return { kind: 'feed-went-back', place: `${newest} after ${segment}`, resume };
}

function wasOff(since: string): FoundGap {
  return { kind: 'feed-was-off', place: `since ${since}`, resume: (position) => position };
}
