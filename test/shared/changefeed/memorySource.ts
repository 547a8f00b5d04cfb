import type { FeedSource, ListedBlob } from '../../../shared/changefeed/feedSource.ts';

/** A feed in memory that notes each request, for what is about reading bytes and choosing folders alone. */
export class MemorySource implements FeedSource {
  readonly host = 'localhost';
  readonly requests: string[] = [];
  /** Names that were handed out by listings. */
  listed = 0;
  readonly #blobs: Map<string, Buffer>;
  #names: readonly string[];

  constructor(blobs: Iterable<readonly [string, Buffer]> = []) {
    this.#blobs = new Map(blobs);
    this.#names = [...this.#blobs.keys()].sort();
  }

  /** Names without content, for indexes of many segments. */
  static ofNames(names: readonly string[]): MemorySource {
    const source = new MemorySource();
    source.#names = names.toSorted();
    return source;
  }

  async read(name: string): Promise<Buffer | undefined> {
    this.requests.push(`read ${name}`);
    return this.#blobs.get(name);
  }

  async readRange(name: string, offset: number, count: number): Promise<Buffer | undefined> {
    this.requests.push(`range ${name} ${offset}+${count}`);
    return this.#blobs.get(name)?.subarray(offset, offset + count);
  }

  async *list(prefix: string): AsyncIterable<ListedBlob> {
    this.requests.push(`list ${prefix}`);
    for (const name of this.#names) {
      if (!name.startsWith(prefix)) continue;
      this.listed++;
      yield { name, bytes: this.#blobs.get(name)?.length ?? 0 };
    }
  }

  async folders(prefix: string): Promise<readonly string[]> {
    this.requests.push(`folders ${prefix}`);
    const under = this.#names.filter((name) => name.startsWith(prefix));
    return [...new Set(under.map((name) => name.slice(0, name.indexOf('/', prefix.length) + 1)))];
  }
}
