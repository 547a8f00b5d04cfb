import type { NormalizedChange } from '../change/change.ts';
import type { BlobStream } from '../config.ts';
import type { CursorStorage } from '../ingest/cursorStore.ts';
import type { Pipeline } from '../ingest/pipeline.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { StreamCounters } from '../ingest/streamCounters.ts';
import { ChunkCache } from './chunkCache.ts';
import { CursorKeeper, LeaseLostError } from './cursorKeeper.ts';
import { ChangeFeedError, FeedSettingsError } from './errors.ts';
import { deliveryOf, type FeedDelivery } from './feedDelivery.ts';
import { segmentPath } from './feedPaths.ts';
import type { FeedSource, ListedBlob } from './feedSource.ts';
import { importToken } from './sdkToken.ts';
import type { WalkBudget } from './walkBudget.ts';
import { FeedWalker } from './walker.ts';

export interface FeedConsumerParts {
  readonly pipeline: Pick<Pipeline, 'ingest'>;
  readonly counters: StreamCounters;
  readonly cursors: CursorStorage;
  /** Opens the account's feed; asked once. */
  readonly openSource: () => Promise<FeedSource>;
  /** Names this instance of the app. */
  readonly owner: string;
}

/** What became of a walk. `busy`: another instance walks this stream. */
export interface WalkReport {
  readonly outcome: 'walked' | 'busy' | 'failed';
  readonly events: number;
  /** What the operator should know; the cursor says it too. */
  readonly error: string | null;
}

const MS_PER_MINUTE = 60_000;
/** Segments take an hour; the time that one stands for is approximate by a quarter of one. */
const SEGMENT_MS = 60 * MS_PER_MINUTE;
const SEGMENT_SKEW_MS = 15 * MS_PER_MINUTE;
/** Of a chunk that cannot be read, so much is kept. */
const MAX_REJECTED_BYTES = 4 * 1024 * 1024;

/** Takes the change feed of one account from its chunks to durable rows, one walk after another. */
export class ChangeFeedConsumer {
  readonly #stream: BlobStream;
  readonly #parts: FeedConsumerParts;
  #opened: Promise<OpenFeed> | undefined;

  constructor(stream: BlobStream, parts: FeedConsumerParts) {
    this.#stream = stream;
    this.#parts = parts;
  }

  get stream(): string {
    return this.#stream.stream;
  }

  /**
   * Walks until there is nothing more for now or `budget` is spent. What is wrong with the feed is reported, and noted in
   * the cursor, which is there after every walk. Throws only StoreUnavailableError: the next walk begins where the cursor
   * stands.
   */
  walk(budget: WalkBudget, signal?: AbortSignal): Promise<WalkReport> {
    return this.#parts.counters.metered(() => this.#walk(budget, signal));
  }

  async #walk(budget: WalkBudget, signal: AbortSignal | undefined): Promise<WalkReport> {
    const { cursors: storage, owner } = this.#parts;
    const keeper = await CursorKeeper.acquire({ storage, stream: this.stream, owner });
    if (keeper === undefined) return BUSY;
    const tally = { events: 0 };
    try {
      const failure = await this.#attempt(keeper, { budget, signal, tally });
      const error = failure?.message ?? keeper.cursor.openGap?.detail ?? null;
      keeper.update({ error, ...(failure === undefined ? { walkedAt: new Date().toISOString() } : {}) });
      await keeper.release();
      return { outcome: failure === undefined ? 'walked' : 'failed', events: tally.events, error };
    } catch (error) {
      if (error instanceof LeaseLostError) return BUSY;
      throw error;
    } finally {
      keeper.stop();
    }
  }

  /** Returns what is wrong with the feed. Throws StoreUnavailableError, LeaseLostError. */
  async #attempt(keeper: CursorKeeper, walk: Walk): Promise<ChangeFeedError | undefined> {
    try {
      const feed = await this.#open();
      const startMs = this.#begin(keeper, feed.source);
      await this.#walker(keeper, feed, startMs, walk).walk();
      return undefined;
    } catch (error) {
      if (error instanceof ChangeFeedError && !(error instanceof LeaseLostError)) return error;
      throw error;
    }
  }

  /** Sees to it that the cursor belongs to this account, and to where it begins. Returns the time before which events do not count. */
  #begin(keeper: CursorKeeper, { host }: FeedSource): number | undefined {
    const { position, host: known } = keeper.cursor;
    if (position !== null && known !== host) {
      throw new FeedSettingsError(
        `the cursor of this stream belongs to the account at ${known}, not to the one at ${host}`,
      );
    }
    const { start } = this.#stream;
    const isToken = typeof start === 'object' && start !== null;
    keeper.update({ host, ...(position === null && isToken ? { position: importToken(start, host) } : {}) });
    return typeof start === 'string' ? Date.parse(start) : undefined;
  }

  #walker(keeper: CursorKeeper, { source, chunks }: OpenFeed, startMs: number | undefined, walk: Walk): FeedWalker {
    const { stream, mode, onGap } = this.#stream;
    const { budget, signal, tally } = walk;
    // The segment that holds `start` begins an hour before it at the earliest, and stands for its hour only nearly.
    const beginAfter =
      startMs === undefined ? undefined : segmentPath(new Date(startMs - SEGMENT_MS - SEGMENT_SKEW_MS));
    return new FeedWalker(
      { stream, mode, onGap, beginAfter },
      {
        source,
        chunks,
        budget,
        keeper,
        ...(signal === undefined ? {} : { signal }),
        take: async (records) => {
          const deliveries = records.flatMap((record) => deliveryOf({ stream, startMs }, record) ?? []);
          await this.#ingest(deliveries);
          tally.events += deliveries.length;
        },
        advance: async (position) => {
          keeper.advance(position);
          await keeper.save();
        },
        mark: (marker) => this.#mark(marker),
        reject: (chunk, offset, what) => this.#reject(source, chunk, offset, what),
      },
    );
  }

  async #ingest(deliveries: readonly FeedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const { pipeline, counters } = this.#parts;
    const outcomes = await pipeline.ingest('blob', this.stream, deliveries);
    const bytes = deliveries.reduce((sum, { byteLength }) => sum + byteLength, 0);
    counters.count(outcomes, bytes, newestTime(deliveries));
    await counters.save();
  }

  async #mark(marker: NormalizedChange): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(marker.origin));
    await this.#parts.pipeline.ingest('blob', this.stream, [
      { decoded: marker, position: { ...marker.origin }, bytes },
    ]);
  }

  /** What of a chunk cannot be read becomes one dead letter. */
  async #reject(source: FeedSource, { name, bytes: length }: ListedBlob, offset: number, what: string): Promise<void> {
    const { pipeline, counters } = this.#parts;
    const bytes =
      (await source.readRange(name, offset, Math.min(length - offset, MAX_REJECTED_BYTES))) ?? Buffer.alloc(0);
    const decoded = new UnprocessableError('undecodable', what);
    const outcomes = await pipeline.ingest('blob', this.stream, [
      { decoded, position: { chunk: name, offset }, bytes },
    ]);
    counters.count(outcomes, bytes.length, null);
    await counters.save();
  }

  #open(): Promise<OpenFeed> {
    this.#opened ??= this.#parts.openSource().then((source) => ({ source, chunks: new ChunkCache(source) }));
    this.#opened.catch(() => {
      this.#opened = undefined;
    });
    return this.#opened;
  }
}

interface OpenFeed {
  readonly source: FeedSource;
  readonly chunks: ChunkCache;
}

interface Walk {
  readonly budget: WalkBudget;
  readonly signal: AbortSignal | undefined;
  readonly tally: { events: number };
}

const BUSY: WalkReport = { outcome: 'busy', events: 0, error: null };

function newestTime(deliveries: readonly FeedDelivery[]): string | null {
  return deliveries.reduce<string | null>(
    (newest, { eventTime }) => (eventTime !== null && (newest === null || eventTime > newest) ? eventTime : newest),
    null,
  );
}
