import type { NormalizedChange } from '../change/change.ts';
import type { ChangeStore } from '../store/changes.ts';
import { arrivalClockOf, withArrivalClock } from './arrivalToken.ts';
import { type RecordedChange, type Recorder, recordFirst } from './recorders.ts';
import { rowName, rowNamesOf } from './rowName.ts';

/**
 * Records the changes of each row one after another: one is in before the next is tried. So whatever a crash leaves behind
 * is the beginning of each row's part of the batch, and what comes again joins it at its end. Each change gets an arrival
 * after those that its row has shown by then: in the row itself, or in a change that turns out to be known, whose row a
 * crash may have kept from showing it.
 */
export class ArrivalRecorder implements Recorder {
  readonly #first: Recorder;
  /** Per row, the least clock reading that its next change may have. */
  readonly #clocks: Map<string, number>;

  constructor(store: ChangeStore, clocks: Map<string, number>) {
    this.#first = recordFirst(store);
    this.#clocks = clocks;
  }

  settle(change: NormalizedChange): NormalizedChange {
    // The two halves of a change that moves a row have one token; the first half was settled for both rows.
    if (change.movedTo !== undefined) return change;
    const least = rowNamesOf(change).reduce((latest, row) => Math.max(latest, this.#clocks.get(row) ?? 0), 0);
    return arrivalClockOf(change.token) < least ? { ...change, token: withArrivalClock(change.token, least) } : change;
  }

  async record(changes: readonly NormalizedChange[]): Promise<RecordedChange[]> {
    const recorded = new Array<RecordedChange>(changes.length);
    for (const round of roundsOf(changes)) {
      const results = await this.#first.record(round.map(({ change }) => this.settle(change)));
      results.forEach((result, position) => {
        const index = round[position]?.index;
        if (index !== undefined) recorded[index] = result;
        this.#note(result);
      });
    }
    return recorded;
  }

  #note({ change, result }: RecordedChange): void {
    // After a change of this batch its place decides; one of another batch may have had a greater place.
    const least = arrivalClockOf(change.token) + (result === 'known' ? 1 : 0);
    for (const row of rowNamesOf(change)) this.#clocks.set(row, Math.max(this.#clocks.get(row) ?? 0, least));
  }
}

interface Indexed {
  readonly index: number;
  readonly change: NormalizedChange;
}

/** The first changes of all rows, then the second ones, and so on. */
function roundsOf(changes: readonly NormalizedChange[]): readonly (readonly Indexed[])[] {
  const rounds: Indexed[][] = [];
  const counts = new Map<string, number>();
  changes.forEach((change, index) => {
    const row = rowName(change.table, change.key);
    const count = counts.get(row) ?? 0;
    counts.set(row, count + 1);
    const round = rounds[count];
    if (round === undefined) rounds.push([{ index, change }]);
    else round.push({ index, change });
  });
  return rounds;
}
