import { setTimeout as delay } from 'node:timers/promises';
import {
  type CursorStorage,
  type CursorVersion,
  cursorId,
  type FeedCursor,
  type FeedCursorDocument,
  type FeedLease,
  type ShardPosition,
} from '../ingest/cursorStore.ts';
import { ChangeFeedError } from './errors.ts';

/**
 * Holds the cursor of one stream for one walk, and the lease that is in the same document: every save renews the lease and
 * succeeds only on the version that this walker wrote last, so whoever takes the lease fences the other out with the
 * first write. A walker that dies leaves its lease to lapse.
 *
 *   free -- acquire --> held -- save, beat --> held -- release --> free
 *                        |
 *                        `-- dead or cut off, lease lapsed -- acquire by another (fence + 1) --> lost
 */
export interface KeeperOptions {
  readonly storage: CursorStorage;
  readonly stream: string;
  readonly owner: string;
}

/** Short, for a dead walker's stream stands still so long; the document's version, not the clock, is what fences. */
const LEASE_MS = 10_000;
const BEAT_MS = 3_000;
const LOOK_AGAIN_MS = 500;

/** Another walker has taken the stream; what this one has not saved will come again there. */
export class LeaseLostError extends ChangeFeedError {
  override readonly name = 'LeaseLostError';
}

const FRESH: FeedCursor = {
  host: null,
  position: null,
  absentSince: null,
  gaps: 0,
  openGap: null,
  lastGap: null,
  error: null,
  walkedAt: null,
};

export class CursorKeeper {
  readonly #options: KeeperOptions;
  readonly #fence: number;
  #cursor: FeedCursor;
  #etag: string | undefined;
  #beat: NodeJS.Timeout | undefined;
  #saving: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #lost: Error | undefined;

  private constructor(options: KeeperOptions, version: CursorVersion | undefined) {
    this.#options = options;
    this.#etag = version?.etag;
    this.#cursor = version === undefined ? FRESH : cursorOf(version.document);
    this.#fence = (version?.document.lease.fence ?? 0) + 1;
  }

  /**
   * Takes the lease; undefined while another walker lives. One that seems dead is waited for: until its lease lapses, or
   * it is renewed. Throws StoreUnavailableError.
   */
  static async acquire(options: KeeperOptions): Promise<CursorKeeper | undefined> {
    const version = await freeVersion(options);
    if (version === 'taken') return undefined;
    const keeper = new CursorKeeper(options, version);
    try {
      await keeper.save();
    } catch (error) {
      if (error instanceof LeaseLostError) return undefined;
      throw error;
    }
    keeper.#beat = setInterval(() => keeper.save().catch(() => undefined), BEAT_MS);
    return keeper;
  }

  get cursor(): FeedCursor {
    return this.#cursor;
  }

  /** Changes the cursor in memory; `save` makes it durable. */
  update(change: Partial<FeedCursor>): void {
    this.#cursor = { ...this.#cursor, ...change };
  }

  /** Notes how far a shard of the current segment was read. */
  advance(shard: ShardPosition): void {
    const { position } = this.#cursor;
    if (position === null) return;
    const others = position.shards.filter((each) => each.shard !== shard.shard);
    const shards = [...others, shard].sort((a, b) => (a.shard < b.shard ? -1 : 1));
    this.update({ position: { ...position, shards } });
  }

  /**
   * Resolves when everything that was noted before the call is durable. Saves that come while one is under way become one.
   * Throws LeaseLostError, StoreUnavailableError.
   */
  save(): Promise<void> {
    if (this.#saving === undefined) return this.#start(this.#heldLease());
    this.#next ??= this.#saving.catch(() => undefined).then(() => this.#start(this.#heldLease()));
    return this.#next;
  }

  /** Saves a last time and frees the stream. Throws as `save` does. */
  async release(): Promise<void> {
    this.stop();
    await this.#next?.catch(() => undefined);
    await this.#saving?.catch(() => undefined);
    await this.#start({ owner: null, fence: this.#fence, until: new Date().toISOString() });
  }

  /** Ends the beat, however the walk ended: without it the lease lapses. */
  stop(): void {
    clearInterval(this.#beat);
  }

  #start(lease: FeedLease): Promise<void> {
    this.#next = undefined;
    this.#saving = this.#write(lease).finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #write(lease: FeedLease): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    const { storage, stream } = this.#options;
    const document: FeedCursorDocument = {
      id: cursorId(stream),
      kind: 'feedCursor',
      source: 'blob',
      stream,
      ...this.#cursor,
      lease,
      updatedAt: new Date().toISOString(),
    };
    const result = await storage.write(document, this.#etag);
    if (result === 'conflict') {
      this.#lost = new LeaseLostError(`another walker has taken the change feed of ${stream}`);
      throw this.#lost;
    }
    this.#etag = result.etag;
  }

  #heldLease(): FeedLease {
    const until = new Date(Date.now() + LEASE_MS).toISOString();
    return { owner: this.#options.owner, fence: this.#fence, until };
  }
}

/** The version to take the lease on; looks again and again until the lease lapses, or turns out to be alive. */
async function freeVersion({ storage, stream }: KeeperOptions): Promise<CursorVersion | undefined | 'taken'> {
  const first = await storage.read(stream);
  for (let version = first; ; version = await storage.read(stream)) {
    if (version === undefined || isFree(version)) return version;
    if (version.document.lease.until !== first?.document.lease.until) return 'taken';
    await delay(LOOK_AGAIN_MS);
  }
}

function isFree({ document: { lease } }: CursorVersion): boolean {
  return lease.owner === null || Date.parse(lease.until) <= Date.now();
}

function cursorOf({ host, position, absentSince, gaps, openGap, lastGap, error, walkedAt }: FeedCursor): FeedCursor {
  return { host, position, absentSince, gaps, openGap, lastGap, error, walkedAt };
}
