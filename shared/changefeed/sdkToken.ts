import { z } from 'zod';
import type { FeedPosition, ShardPosition } from '../ingest/cursorStore.ts';
import { FeedTokenError } from './errors.ts';
import { segmentBegin, shardOfChunk, withoutContainer } from './feedPaths.ts';

/**
 * The continuation token that the SDKs for .NET, Java, JavaScript and Python share, version 1. It says the same as our
 * position, so that people can switch over, either way, without a gap. What the SDKs write differently is accepted:
 * an end time (ours has none) as null, empty, missing or any time; a host with port and path; shards in any order.
 */
const VERSION = 1;

const token = z.object({
  CursorVersion: z.literal(VERSION),
  UrlHost: z.string(),
  EndTime: z.string().nullish(),
  CurrentSegmentCursor: z.object({
    SegmentPath: z.string(),
    ShardCursors: z
      .array(
        z.object({ CurrentChunkPath: z.string().nullish(), BlockOffset: z.int().min(0), EventIndex: z.int().min(0) }),
      )
      .nullish(),
  }),
});

/** The position that a token, parsed from its JSON, stands for. Throws FeedTokenError for what is no such token, or one of another account than that of `host`. */
export function importToken(value: unknown, host: string): FeedPosition {
  const parsed = token.safeParse(value);
  if (!parsed.success) {
    const names = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    throw new FeedTokenError(`this is no continuation token of version ${VERSION}: ${names}`);
  }
  const { UrlHost, CurrentSegmentCursor } = parsed.data;
  const tokenHost = UrlHost.replace(/[:/].*$/, '').toLowerCase();
  if (tokenHost !== host.toLowerCase()) {
    throw new FeedTokenError(`the continuation token is of the account at ${tokenHost}, not of the one at ${host}`);
  }
  const segment = withoutContainer(CurrentSegmentCursor.SegmentPath);
  if (segmentBegin(segment) === undefined) throw new FeedTokenError('the continuation token names no segment');
  const shards = (CurrentSegmentCursor.ShardCursors ?? []).flatMap(
    ({ CurrentChunkPath, BlockOffset, EventIndex }): ShardPosition[] => {
      if (CurrentChunkPath === undefined || CurrentChunkPath === null || CurrentChunkPath === '') return [];
      const chunk = withoutContainer(CurrentChunkPath);
      const shard = shardOfChunk(chunk);
      if (shard === undefined) throw new FeedTokenError('the continuation token names a chunk that cannot be one');
      return [{ shard, chunk, offset: BlockOffset, events: EventIndex }];
    },
  );
  return { segment, shards };
}

/** The token for `position`. It names no end time: one SDK takes null for the year 1970. */
export function exportToken({ segment, shards }: FeedPosition, host: string): string {
  return JSON.stringify({
    CursorVersion: VERSION,
    UrlHost: host,
    CurrentSegmentCursor: {
      ShardCursors: shards.map(({ chunk, offset, events }) => ({
        CurrentChunkPath: chunk,
        BlockOffset: offset,
        EventIndex: events,
      })),
      CurrentShardPath: shards[0]?.shard ?? '',
      SegmentPath: segment,
    },
  });
}
