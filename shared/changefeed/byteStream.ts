import { FeedUnavailableError } from './errors.ts';
import type { FeedSource } from './feedSource.ts';

/** Large enough that the requests cost little, small enough that two per shard are in memory without regret. */
export const RANGE_BYTES = 8 * 1024 * 1024;
/** The first one is smaller: until it is there, nothing can be worked on. */
const FIRST_RANGE_BYTES = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

export interface ByteStreamOptions {
  readonly source: FeedSource;
  readonly name: string;
  /** First byte, and the byte to stop before: what is appended meanwhile is left for the next time. */
  readonly from: number;
  readonly to: number;
  readonly rangeBytes?: number;
  readonly signal?: AbortSignal;
}

/**
 * A stretch of a blob, read in ranges one after another; while one is worked on, the next is in flight. A view of the
 * bytes ahead is handed out without copying, except where it crosses from one range into the next.
 */
export class ByteStream {
  readonly #options: ByteStreamOptions;
  readonly #rangeBytes: number;
  /** Ranges that have come in and are not used up; one, or two where the bytes ahead cross from one into the next. */
  readonly #ranges: Buffer[] = [];
  /** Bytes in `#ranges`. */
  #available = 0;
  /** First byte of the blob that was not asked for yet. */
  #asked: number;
  #next: Promise<Buffer | undefined> | undefined;
  #offset: number;

  constructor(options: ByteStreamOptions) {
    this.#options = options;
    this.#rangeBytes = options.rangeBytes ?? RANGE_BYTES;
    this.#asked = options.from;
    this.#offset = options.from;
  }

  /** Place in the blob of the next byte. */
  get offset(): number {
    return this.#offset;
  }

  /** The bytes ahead, at least `count` unless the stretch ends before. Throws FeedUnavailableError, FeedNotEnabledError. */
  async peek(count: number): Promise<Buffer> {
    while (this.#available < count) {
      const more = await this.#receive();
      if (more === undefined) break;
      this.#ranges.push(more);
      this.#available += more.length;
    }
    const [first = NOTHING] = this.#ranges;
    if (first.length >= Math.min(count, this.#available)) return first;
    return Buffer.concat(this.#ranges, Math.min(count, this.#available));
  }

  skip(count: number): void {
    this.#offset += count;
    this.#available -= count;
    let left = count;
    for (let first = this.#ranges.shift(); first !== undefined; first = this.#ranges.shift()) {
      if (first.length > left) {
        this.#ranges.unshift(first.subarray(left));
        return;
      }
      left -= first.length;
    }
  }

  async #receive(): Promise<Buffer | undefined> {
    const pending = this.#next ?? this.#ask();
    this.#next = undefined;
    if (pending === undefined) return undefined;
    const range = await pending;
    if (range === undefined || range.length === 0) {
      throw new FeedUnavailableError(`${this.#options.name} vanished while it was read`);
    }
    this.#next = this.#ask();
    // Nobody waits for it yet; whoever does gets the error all the same.
    this.#next?.catch(() => undefined);
    return range;
  }

  #ask(): Promise<Buffer | undefined> | undefined {
    const { source, name, to, signal } = this.#options;
    const from = this.#asked;
    if (from >= to) return undefined;
    const count = from === this.#options.from ? Math.min(FIRST_RANGE_BYTES, this.#rangeBytes) : this.#rangeBytes;
    this.#asked = Math.min(to, from + count);
    return source.readRange(name, from, this.#asked - from, signal);
  }
}
