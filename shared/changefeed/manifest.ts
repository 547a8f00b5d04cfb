import { z } from 'zod';
import { BadManifestError } from './errors.ts';
import { SEGMENTS_INFO, withoutContainer } from './feedPaths.ts';
import type { FeedSource } from './feedSource.ts';

/** What a segment's manifest says. Unknown members and states pass: later versions of the service have more. */
export interface SegmentManifest {
  readonly isFinalized: boolean;
  /** Prefixes of chunks, in order. Nothing else says how many shards there are. */
  readonly shards: readonly string[];
}

const segmentsInfo = z.object({ lastConsumable: z.iso.datetime({ offset: true }) });

const segmentManifest = z.object({ status: z.string(), chunkFilePaths: z.array(z.string().min(1)) });

/** Begin of the newest segment that may be read; undefined when the feed is so young that nothing says so. */
export async function readLastConsumable(source: FeedSource, signal?: AbortSignal): Promise<Date | undefined> {
  const bytes = await source.read(SEGMENTS_INFO, signal);
  return bytes === undefined ? undefined : new Date(parse(segmentsInfo, SEGMENTS_INFO, bytes).lastConsumable);
}

/** Undefined when the manifest is gone. Throws BadManifestError. */
export async function readManifest(
  source: FeedSource,
  path: string,
  signal?: AbortSignal,
): Promise<SegmentManifest | undefined> {
  const bytes = await source.read(path, signal);
  if (bytes === undefined) return undefined;
  const { status, chunkFilePaths } = parse(segmentManifest, path, bytes);
  return { isFinalized: status === 'Finalized', shards: [...new Set(chunkFilePaths.map(withoutContainer))] };
}

function parse<Output>(schema: z.ZodType<Output>, path: string, bytes: Buffer): Output {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, '')));
  } catch (error) {
    throw new BadManifestError(`${path} is not what the change feed is documented to hold`, { cause: error });
  }
}
