import type { FeedPosition } from '../ingest/cursorStore.ts';
import { readManifest } from './manifest.ts';
import { type ReaderParts, type ShardLook, ShardReader } from './shardReader.ts';

/** What one look at a segment found; see `ShardLook`. */
export interface SegmentLook extends ShardLook {
  /** As the manifest said before anything was listed. */
  readonly isFinalized: boolean;
}

/** Shards that are read side by side; each has two ranges in memory at the most. */
const SHARDS_IN_FLIGHT = 4;

/**
 * Looks at a segment once: reads its manifest, then takes in what was appended to its shards since `position`. Shards hold
 * disjoint sets of blobs, so they go side by side. Undefined when the manifest is gone.
 * Throws as `readManifest` and `ShardReader` do; then no shard is being read any more.
 */
export async function lookAtSegment(parts: ReaderParts, position: FeedPosition): Promise<SegmentLook | undefined> {
  const manifest = await readManifest(parts.source, position.segment, parts.signal);
  if (manifest === undefined) return undefined;
  const { isFinalized } = manifest;
  const known = new Map(position.shards.map((shard) => [shard.shard, shard]));
  const looks = await inParallel([...new Set([...manifest.shards, ...known.keys()])], async (shard) => {
    try {
      return await new ShardReader(parts, { shard, known: known.get(shard), isFinalized }).read();
    } catch (error) {
      parts.budget.stop();
      throw error;
    }
  });
  const gap = looks.find((look) => look.gap !== undefined)?.gap;
  return {
    isFinalized,
    extent: looks.map(({ extent }) => extent).join('\n\n'),
    isDrained: looks.every(({ isDrained }) => isDrained),
    ...(gap === undefined ? {} : { gap }),
  };
}

/** Waits for every shard, also when one fails: whoever goes on after a failure must be alone. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  const workers = Array.from({ length: Math.min(SHARDS_IN_FLIGHT, items.length) }, worker);
  const failed = (await Promise.allSettled(workers)).find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results;
}
