import type { NormalizedChange } from '../change/change.ts';
import type { ChangeStore } from '../store/changes.ts';
import { arrivalClockOf, withArrivalClock } from './arrivalToken.ts';
import type { RecordedChange, Recorder } from './recorders.ts';
import { rowNamesOf } from './rowName.ts';
import { type RowQueue, rowQueuesOf } from './rowQueue.ts';

/**
 * Records the changes of each row one after another: one is in before the next one is. So whatever a crash leaves behind
 * is the beginning of each row's part of the batch, and what comes again joins it at its end. Each change gets an arrival
 * after those that its row has shown by then: in the row itself, or in a change that turns out to be known, whose row a
 * crash may have kept from showing it.
 *
 * A row's changes go in rounds, and many of them in one round as one transaction, which leaves all of them or none. Their
 * arrivals come out as they would one by one. One by one, a change that is new makes the next one's arrival no less than
 * its own, whatever the store answers; so the arrivals of changes that are all new can be told before any of them is sent.
 * A transaction says nothing as long as one of its changes is known: those before that one then go without it, and those
 * after it get other arrivals in a later round, after its own.
 *
 * What comes again must get past what is known without a request for each: the first known change of a row has the
 * others looked up, many in a request. What is known then stays so, and need not be tried before it counts.
 */
export class ArrivalRecorder implements Recorder {
  readonly #store: ChangeStore;
  /** Per row, the least clock reading that its next change may have. */
  readonly #clocks: Map<string, number>;
  readonly #checkTime: () => void;
  #newestClock = 0;

  /** `checkTime` is called between rounds, and may throw: what is recorded by then stays. */
  constructor(store: ChangeStore, clocks: Map<string, number>, checkTime: () => void) {
    this.#store = store;
    this.#clocks = clocks;
    this.#checkTime = checkTime;
  }

  /** The greatest clock reading that a change was recorded with; 0 while there is none. */
  get newestClock(): number {
    return this.#newestClock;
  }

  settle(change: NormalizedChange): NormalizedChange {
    return this.#settleAfter(change, 0);
  }

  /** Throws what `checkTime` throws, too. */
  async record(changes: readonly NormalizedChange[]): Promise<RecordedChange[]> {
    const recorded = new Array<RecordedChange>(changes.length);
    const note = (index: number, result: RecordedChange) => {
      recorded[index] = result;
      this.#note(result);
    };
    let queues = rowQueuesOf(changes);
    for (;;) {
      for (const queue of queues) queue.takeKnown(note);
      queues = queues.filter(({ isEmpty }) => !isEmpty);
      if (queues.length === 0) return recorded;
      this.#checkTime();
      await this.#round(queues, note);
    }
  }

  async #round(queues: readonly RowQueue[], note: (index: number, result: RecordedChange) => void): Promise<void> {
    const parts = queues.map((queue) => this.#settleAll(queue.nextPart()));
    const results = await this.#store.recordBeginnings(parts);
    const conflicts: { readonly queue: RowQueue; readonly change: NormalizedChange }[] = [];
    queues.forEach((queue, position) => {
      results[position]?.forEach((result, at) => {
        const change = parts[position]?.[at];
        if (change === undefined) return;
        if (result === 'known') conflicts.push({ queue, change });
        else queue.take({ change, result }, note);
      });
    });
    await this.#lookUp(conflicts);
  }

  async #lookUp(conflicts: readonly { readonly queue: RowQueue; readonly change: NormalizedChange }[]): Promise<void> {
    if (conflicts.length === 0) return;
    const asked = conflicts.map(({ queue }) => queue.toLookUp());
    const found = (await this.#store.recorded(asked.flat())).values();
    conflicts.forEach(({ queue, change }, position) => {
      // That it is there is certain, even where the look-up does not show it.
      queue.remember(change.identity, change);
      for (const { identity } of asked[position] ?? []) {
        const first = found.next().value;
        if (first !== undefined) queue.remember(identity, first);
      }
    });
  }

  /** `changes` of one row, each as it is if those before it are new. */
  #settleAll(changes: readonly NormalizedChange[]): NormalizedChange[] {
    let least = 0;
    return changes.map((change) => {
      const settled = this.#settleAfter(change, least);
      least = arrivalClockOf(settled.token);
      return settled;
    });
  }

  #settleAfter(change: NormalizedChange, clock: number): NormalizedChange {
    // The two halves of a change that moves a row have one token; the first half was settled for both rows.
    if (change.movedTo !== undefined) return change;
    const least = rowNamesOf(change).reduce((latest, row) => Math.max(latest, this.#clocks.get(row) ?? 0), clock);
    return arrivalClockOf(change.token) < least ? { ...change, token: withArrivalClock(change.token, least) } : change;
  }

  #note({ change, result }: RecordedChange): void {
    // After a change of this batch its place decides; one of another batch may have had a greater place.
    const clock = arrivalClockOf(change.token);
    this.#newestClock = Math.max(this.#newestClock, clock);
    const least = clock + (result === 'known' ? 1 : 0);
    for (const row of rowNamesOf(change)) this.#clocks.set(row, Math.max(this.#clocks.get(row) ?? 0, least));
  }
}
