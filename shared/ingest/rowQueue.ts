import type { NormalizedChange } from '../change/change.ts';
import type { RecordedChange } from './recorders.ts';
import { rowName } from './rowName.ts';

/** Fewer changes of a row go one in each round, together with those of other rows: so they take fewer requests. */
const MIN_TOGETHER = 10;
const MAX_TOGETHER = 100;

interface Indexed {
  /** Position in the batch. */
  readonly index: number;
  readonly change: NormalizedChange;
}

type Note = (index: number, result: RecordedChange) => void;

/** The changes of one row in one batch that wait to be recorded, in their order, and what is known of them by now. */
export class RowQueue {
  readonly #changes: Indexed[] = [];
  /** What was recorded first, by identity. */
  readonly #known = new Map<string, Partial<NormalizedChange>>();
  #next = 0;
  #isLookedUp = false;

  push(entry: Indexed): void {
    this.#changes.push(entry);
  }

  get isEmpty(): boolean {
    return this.#next === this.#changes.length;
  }

  /** The changes to record next, once those that are known are taken off: at least one, and none twice. */
  nextPart(): readonly NormalizedChange[] {
    const left = this.#changes.length - this.#next;
    if (left < MIN_TOGETHER) return this.#upcoming(1).map(({ change }) => change);
    const part = new Map<string, NormalizedChange>();
    for (const { change } of this.#upcoming(MAX_TOGETHER)) {
      if (this.#known.has(change.identity) || part.has(change.identity)) break;
      part.set(change.identity, change);
    }
    return [...part.values()];
  }

  /** Takes the first change off the queue, as `result` says it is. If it comes once more, it is known. */
  take(result: RecordedChange, note: Note): void {
    const index = this.#changes[this.#next++]?.index;
    if (index !== undefined) note(index, result);
    if (typeof result.result === 'string' && !this.isEmpty) this.#known.set(result.change.identity, result.change);
  }

  /** Takes off those at the beginning that are known. */
  takeKnown(note: Note): void {
    if (this.#known.size === 0) return;
    for (;;) {
      const change = this.#changes[this.#next]?.change;
      const first = change === undefined ? undefined : this.#known.get(change.identity);
      if (change === undefined || first === undefined) return;
      this.take({ change: { ...change, ...first }, result: 'known' }, note);
    }
  }

  remember(identity: string, first: Partial<NormalizedChange>): void {
    this.#known.set(identity, first);
  }

  /** After a change was known: those that may be, too. All that are left at first; later on, as many as go together. */
  toLookUp(): readonly NormalizedChange[] {
    const many = this.#isLookedUp ? MAX_TOGETHER : this.#changes.length;
    this.#isLookedUp = true;
    return this.#upcoming(many).map(({ change }) => change);
  }

  #upcoming(many: number): readonly Indexed[] {
    return this.#changes.slice(this.#next, this.#next + many);
  }
}

/** One queue for each row that `changes` are of. */
export function rowQueuesOf(changes: readonly NormalizedChange[]): readonly RowQueue[] {
  const queues = new Map<string, RowQueue>();
  changes.forEach((change, index) => {
    const row = rowName(change.table, change.key);
    const queue = queues.get(row) ?? new RowQueue();
    queue.push({ index, change });
    queues.set(row, queue);
  });
  return [...queues.values()];
}
