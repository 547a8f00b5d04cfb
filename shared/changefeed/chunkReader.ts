import type { ShardPosition } from '../ingest/cursorStore.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { type Chunk, openFromStart } from './chunk.ts';
import type { ChunkCache } from './chunkCache.ts';
import { CorruptChunkError, MisplacedPositionError } from './errors.ts';
import type { FeedSource, ListedBlob } from './feedSource.ts';
import { type FeedRecord, RecordDecoder } from './recordDecoder.ts';

export interface ChunkReaderParts {
  readonly source: FeedSource;
  readonly chunks: ChunkCache;
  readonly signal?: AbortSignal;
}

/**
 * The records of one chunk from a position to the length that a listing gave, a block at a time. Throws TornChunkError,
 * CorruptChunkError, MisplacedPositionError, FeedUnavailableError.
 */
export async function* readChunk(
  { source, chunks, signal }: ChunkReaderParts,
  { name: path, bytes: length }: ListedBlob,
  { offset, events }: Pick<ShardPosition, 'offset' | 'events'>,
): AsyncGenerator<FeedRecord[]> {
  if (offset === length) return;
  const stretch = { source, path, from: offset, length, ...(signal === undefined ? {} : { signal }) };
  const { chunk, blocks } = offset === 0 ? await openFromStart(stretch) : await openAt();
  chunks.keep(chunk);
  const decoder = decoderOf(chunk);
  let taken = events;
  for await (const block of blocks) {
    if (taken > block.count) throw new MisplacedPositionError(path, block.start);
    yield decoder.decode(chunk, block, taken);
    taken = 0;
  }

  async function openAt() {
    const known = await chunks.get(path, length, signal);
    return { chunk: known, blocks: known.blocks(stretch) };
  }
}

function decoderOf(chunk: Chunk): RecordDecoder {
  try {
    return RecordDecoder.of(chunk.header.schema);
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    throw new CorruptChunkError(chunk.path, 0, error.message, { cause: error });
  }
}
