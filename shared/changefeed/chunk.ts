import { setImmediate } from 'node:timers/promises';
import { type AvroHeader, MAX_HEADER_BYTES, parseHeader, SYNC_BYTES } from './avroHeader.ts';
import { ByteStream } from './byteStream.ts';
import { CorruptChunkError, MisplacedPositionError, TornChunkError } from './errors.ts';
import type { FeedSource } from './feedSource.ts';
import { readVarint, type Varint } from './varint.ts';

/** A block of a chunk: so many records, one after another. */
export interface Block {
  /** Place of the block in the chunk, and of what follows it. */
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly payload: Buffer;
}

/** A stretch of a chunk to read. */
export interface ChunkStretch {
  readonly source: FeedSource;
  readonly path: string;
  /** Where a block starts; 0 for the whole chunk. */
  readonly from: number;
  /** Length of the chunk, as far as it is known: what is appended meanwhile is left for the next time. */
  readonly length: number;
  readonly rangeBytes?: number;
  readonly signal?: AbortSignal;
}

/** Enough for any header seen so far in one request. */
const HEADER_BYTES = 8 * 1024;
const BLOCK_HEADER_MAX_BYTES = 20;
/** The service fills blocks to 64 KiB; far beyond, a size is no size. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;

/**
 * One chunk, an Avro object container that grows by whole blocks. Its header is read once, its blocks in order from any
 * block's start on. Where a block ends follows from its size alone: the sync marker is the same in every chunk the
 * service writes, so it can confirm a place but never find one.
 */
export class Chunk {
  readonly path: string;
  readonly header: AvroHeader;

  constructor(path: string, header: AvroHeader) {
    this.path = path;
    this.header = header;
  }

  /** Opens the chunk where only part of it will be read. Throws TornChunkError, CorruptChunkError, FeedUnavailableError. */
  static async open({ source, path, length, signal }: Omit<ChunkStretch, 'from'>): Promise<Chunk> {
    const rangeBytes = HEADER_BYTES;
    return new Chunk(
      path,
      await readHeader(
        path,
        new ByteStream({ source, name: path, from: 0, to: length, rangeBytes, ...optional(signal) }),
      ),
    );
  }

  /** The blocks of a stretch of this chunk that does not begin at its start. Errors as of `blocksOf`. */
  async *blocks(stretch: ChunkStretch): AsyncGenerator<Block> {
    const { source, path, from, length, rangeBytes, signal } = stretch;
    const before = from - SYNC_BYTES;
    if (before < this.header.bytes.length - SYNC_BYTES) throw new MisplacedPositionError(path, from);
    const stream = new ByteStream({ source, name: path, from: before, to: length, ...optional(signal, rangeBytes) });
    const bytes = await stream.peek(SYNC_BYTES);
    if (!bytes.subarray(0, SYNC_BYTES).equals(this.header.sync)) throw new MisplacedPositionError(path, from);
    stream.skip(SYNC_BYTES);
    yield* blocksOf(path, this.header.sync, stream);
  }
}

/**
 * Opens a chunk and reads it from its start, in one run of requests. Throws TornChunkError when it ends inside a block,
 * CorruptChunkError when it is no Avro file or ceases to be one, FeedUnavailableError.
 */
export async function openFromStart(stretch: ChunkStretch): Promise<{ chunk: Chunk; blocks: AsyncGenerator<Block> }> {
  const { source, path, length, rangeBytes, signal } = stretch;
  const stream = new ByteStream({ source, name: path, from: 0, to: length, ...optional(signal, rangeBytes) });
  const chunk = new Chunk(path, await readHeader(path, stream));
  return { chunk, blocks: blocksOf(path, chunk.header.sync, stream) };
}

async function readHeader(path: string, stream: ByteStream): Promise<AvroHeader> {
  for (let wanted = 1; ; ) {
    const bytes = await stream.peek(wanted);
    const header = parsed(path, 0, () => parseHeader(bytes));
    if (header !== undefined) {
      stream.skip(header.bytes.length);
      return header;
    }
    if (bytes.length < wanted) throw new TornChunkError(path, 0);
    if (bytes.length > MAX_HEADER_BYTES) throw new CorruptChunkError(path, 0, 'its header does not end');
    wanted = 2 * bytes.length;
  }
}

async function* blocksOf(path: string, sync: Buffer, stream: ByteStream): AsyncGenerator<Block> {
  for (;;) {
    const start = stream.offset;
    const head = await stream.peek(BLOCK_HEADER_MAX_BYTES);
    if (head.length === 0) return;
    const sizes = parsed(path, start, () => blockSizes(head));
    if (sizes === undefined) throw new TornChunkError(path, start);
    const { count, bytes: size, headBytes } = sizes;
    const total = headBytes + size + SYNC_BYTES;
    const bytes = await stream.peek(total);
    if (bytes.length < total) throw new TornChunkError(path, start);
    if (!sync.equals(bytes.subarray(total - SYNC_BYTES, total))) {
      throw new CorruptChunkError(path, start, 'the block does not end in the sync marker');
    }
    stream.skip(total);
    yield { start, end: stream.offset, count, payload: bytes.subarray(headBytes, total - SYNC_BYTES) };
    // Decoding a range takes no turn of the event loop; without one the next range would not come in meanwhile.
    await setImmediate();
  }
}

function blockSizes(head: Buffer) {
  const count = readVarint(head, 0);
  const size: Varint | undefined = count && readVarint(head, count.end);
  if (count === undefined || size === undefined) return undefined;
  if (count.value < 0 || size.value < 0 || size.value > MAX_BLOCK_BYTES) throw new RangeError('no block is that large');
  return { count: count.value, bytes: size.value, headBytes: size.end };
}

function parsed<Value>(path: string, offset: number, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CorruptChunkError(path, offset, error.message, { cause: error });
  }
}

function optional(signal: AbortSignal | undefined, rangeBytes?: number) {
  return { ...(signal === undefined ? {} : { signal }), ...(rangeBytes === undefined ? {} : { rangeBytes }) };
}
