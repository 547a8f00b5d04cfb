/** How far one shard of a segment was read. A shard that was read to its end stays: dropped, it would be read again. */
export interface ShardPosition {
  /** Prefix of the shard's chunks. */
  readonly shard: string;
  /** The chunk read last. */
  readonly chunk: string;
  /** Where the block of the next event starts in it; its length when it was read to its end. */
  readonly offset: number;
  /** Events taken from that block. */
  readonly events: number;
}

/** Everything before it was taken in and is durable. */
export interface FeedPosition {
  /** Path of the manifest of the newest segment that was read. */
  readonly segment: string;
  /** Shards that nothing was read of are absent. */
  readonly shards: readonly ShardPosition[];
}

/** A stretch of the feed that was lost, or may have been. */
export interface FeedGap {
  readonly kind: string;
  readonly place: string;
  /** For the operator. */
  readonly detail: string;
  /** ISO 8601. */
  readonly seenAt: string;
}

export interface FeedCursor {
  /** Host name of the account that the position belongs to; null until it was reached. */
  readonly host: string | null;
  /** Null until a first segment was read. */
  readonly position: FeedPosition | null;
  /** Since when the feed is not there although it had been read; ISO 8601. */
  readonly absentSince: string | null;
  /** Gaps found so far. */
  readonly gaps: number;
  /** The gap that the stream stands at; null while it moves. */
  readonly openGap: FeedGap | null;
  /** The newest gap that was gone over. */
  readonly lastGap: FeedGap | null;
  /** What keeps the stream from moving, for the operator. */
  readonly error: string | null;
  /** When a walk last came to its end; ISO 8601. */
  readonly walkedAt: string | null;
}

/**
 * Who walks. `fence` goes up whenever a walker takes the lease: together with the document's version it keeps one that
 * lost it from saving anything.
 */
export interface FeedLease {
  /** Null when nobody walks. */
  readonly owner: string | null;
  readonly fence: number;
  /** When it lapses unless it is renewed; ISO 8601. */
  readonly until: string;
}

export interface FeedCursorDocument extends FeedCursor {
  readonly id: string;
  readonly kind: 'feedCursor';
  readonly source: 'blob';
  readonly stream: string;
  readonly lease: FeedLease;
  readonly updatedAt: string;
}

export interface CursorVersion {
  readonly document: FeedCursorDocument;
  readonly etag: string;
}

/** Where change feed cursors are kept. Every method throws StoreUnavailableError. */
export interface CursorStorage {
  read(stream: string): Promise<CursorVersion | undefined>;
  /** Writes the cursor if it is still the version that was read; undefined: if there is none. Returns the new version's ETag. */
  write(document: FeedCursorDocument, etag: string | undefined): Promise<{ readonly etag: string } | 'conflict'>;
}

/** The id of a stream's document. */
export function cursorId(stream: string): string {
  return `feed:blob:${stream}`;
}
