import { Chunk } from './chunk.ts';
import type { FeedSource } from './feedSource.ts';

/** Shards of the open segment, with room. */
const MAX_CHUNKS = 64;

/** Headers of the chunks read lately: a chunk that grows minute by minute has its header read once. */
export class ChunkCache {
  readonly #source: FeedSource;
  readonly #chunks = new Map<string, Chunk>();

  constructor(source: FeedSource) {
    this.#source = source;
  }

  keep(chunk: Chunk): void {
    this.#chunks.delete(chunk.path);
    const [oldest] = this.#chunks.keys();
    if (this.#chunks.size === MAX_CHUNKS && oldest !== undefined) this.#chunks.delete(oldest);
    this.#chunks.set(chunk.path, chunk);
  }

  forget(path: string): void {
    this.#chunks.delete(path);
  }

  /** Throws as `Chunk.open` does. */
  async get(path: string, length: number, signal?: AbortSignal): Promise<Chunk> {
    const known = this.#chunks.get(path);
    if (known !== undefined) return known;
    const chunk = await Chunk.open({ source: this.#source, path, length, ...(signal === undefined ? {} : { signal }) });
    this.keep(chunk);
    return chunk;
  }
}
