import type { FeedPosition, ShardPosition } from '../ingest/cursorStore.ts';
import type { ChunkCache } from './chunkCache.ts';
import { readChunk } from './chunkReader.ts';
import { CorruptChunkError, MisplacedPositionError, TornChunkError } from './errors.ts';
import { isChunkOf } from './feedPaths.ts';
import type { FeedSource, ListedBlob } from './feedSource.ts';
import type { FoundGap, GapKind } from './gaps.ts';
import { type FeedRecord, placeAfter } from './recordDecoder.ts';
import type { WalkBudget } from './walkBudget.ts';

/** What a walk does with what it reads. */
export interface ReaderParts {
  readonly source: FeedSource;
  readonly chunks: ChunkCache;
  readonly budget: WalkBudget;
  readonly signal?: AbortSignal;
  /** Makes records durable; resolves when they are. */
  take(records: readonly FeedRecord[]): Promise<void>;
  /** Notes a position whose past is durable. */
  advance(position: ShardPosition): Promise<void>;
  /** Keeps what is left of a chunk that cannot be read from `offset` on. */
  reject(chunk: ListedBlob, offset: number, what: string): Promise<void>;
}

/** A shard of a segment, and where the walk stands in it; `known` is undefined where nothing was read of it yet. */
export interface ShardToRead {
  readonly shard: string;
  readonly known: ShardPosition | undefined;
  readonly isFinalized: boolean;
}

/** What one look at a shard found, after what was there has been taken in. */
export interface ShardLook {
  /** Equal for two looks between which the shard did not grow. */
  readonly extent: string;
  /** Whether everything up to the listed lengths was taken in: no torn tail, no gap, budget left. */
  readonly isDrained: boolean;
  readonly gap?: FoundGap;
}

const BATCH_EVENTS = 500;

/**
 * Reads on in one shard: lists its chunks, then takes in what they hold after the position, chunk after chunk. A torn tail
 * is "not yet" while the segment is open, and corrupt once it is finalized. A chunk of an open segment is left for the next
 * one only when a listing made after that one was seen shows it unchanged.
 */
export class ShardReader {
  readonly #parts: ReaderParts;
  readonly #target: ShardToRead;

  constructor(parts: ReaderParts, target: ShardToRead) {
    this.#parts = parts;
    this.#target = target;
  }

  /** Throws FeedUnavailableError, FeedNotEnabledError, and what the parts throw. */
  async read(): Promise<ShardLook> {
    const { known, isFinalized } = this.#target;
    let chunks = await this.#list();
    const extent = chunks.map(({ name, bytes }) => `${name} ${bytes}`).join('\n');
    let index = known === undefined ? 0 : chunks.findIndex(({ name }) => name === known.chunk);
    if (index < 0) return { extent, isDrained: false, gap: this.#gapAfter(chunks) };
    let at = known;
    for (let chunk = chunks[index]; chunk !== undefined; chunk = chunks[index]) {
      const end = await this.#readChunk(chunk, at?.chunk === chunk.name ? at : startOf(this.#target.shard, chunk));
      if (end !== 'drained') return { extent, isDrained: false, ...(end === 'stopped' ? {} : { gap: end }) };
      if (index < chunks.length - 1 && !isFinalized) {
        chunks = await this.#list();
        if (chunks[index]?.name === chunk.name && chunks[index]?.bytes !== chunk.bytes) {
          at = endOf(this.#target.shard, chunk);
          continue;
        }
      }
      index++;
    }
    return { extent, isDrained: true };
  }

  async #list(): Promise<ListedBlob[]> {
    const { shard } = this.#target;
    const chunks: ListedBlob[] = [];
    for await (const blob of this.#parts.source.list(shard, this.#parts.signal)) {
      if (isChunkOf(shard, blob.name)) chunks.push(blob);
    }
    return chunks;
  }

  /** Takes in a chunk from `from` to its listed length. `stopped`: there is more, but not now. */
  async #readChunk(chunk: ListedBlob, from: ShardPosition): Promise<'drained' | 'stopped' | FoundGap> {
    const { name, bytes } = chunk;
    if (bytes === from.offset) return 'drained';
    const restart = startOf(this.#target.shard, chunk);
    if (bytes < from.offset) return this.#gap('chunk-shrunk', name, restart);
    const pending: FeedRecord[] = [];
    try {
      for await (const records of readChunk(this.#parts, chunk, from)) {
        pending.push(...records);
        while (pending.length >= BATCH_EVENTS) {
          if (!(await this.#take(name, pending.splice(0, BATCH_EVENTS)))) return 'stopped';
        }
      }
    } catch (error) {
      if (!(await this.#take(name, pending))) return 'stopped';
      if (error instanceof TornChunkError && !this.#target.isFinalized) return 'stopped';
      if (error instanceof MisplacedPositionError) {
        this.#parts.chunks.forget(name);
        return this.#gap('chunk-rewritten', name, restart);
      }
      if (!(error instanceof TornChunkError || error instanceof CorruptChunkError)) throw error;
      this.#parts.chunks.forget(name);
      await this.#parts.reject(chunk, error.offset, error.message);
      return this.#gap('chunk-corrupt', `${name} at ${error.offset}`, endOf(this.#target.shard, chunk));
    }
    if (!(await this.#take(name, pending))) return 'stopped';
    await this.#parts.advance(endOf(this.#target.shard, chunk));
    return 'drained';
  }

  /** False when the budget did not allow all of `records`. */
  async #take(chunk: string, records: readonly FeedRecord[]): Promise<boolean> {
    if (records.length === 0) return true;
    const granted = records.slice(0, this.#parts.budget.take(records.length));
    const last = granted.at(-1);
    if (last === undefined) return false;
    await this.#parts.take(granted);
    await this.#parts.advance({ shard: this.#target.shard, chunk, ...placeAfter(last) });
    return granted.length === records.length;
  }

  /** The chunk of the position is gone: the next one in order is where it would go on. */
  #gapAfter(chunks: readonly ListedBlob[]): FoundGap {
    const { known, shard } = this.#target;
    const gone = known?.chunk ?? shard;
    const next = chunks.find(({ name }) => name > gone);
    return this.#gap('chunk-gone', gone, next && startOf(shard, next));
  }

  #gap(kind: GapKind, place: string, next: ShardPosition | undefined): FoundGap {
    const { shard } = this.#target;
    const resume = ({ segment, shards }: FeedPosition): FeedPosition => {
      const others = shards.filter((each) => each.shard !== shard);
      return { segment, shards: next === undefined ? others : [...others, next] };
    };
    return { kind, place, resume };
  }
}

function startOf(shard: string, { name: chunk }: ListedBlob): ShardPosition {
  return { shard, chunk, offset: 0, events: 0 };
}

function endOf(shard: string, { name: chunk, bytes: offset }: ListedBlob): ShardPosition {
  return { shard, chunk, offset, events: 0 };
}
