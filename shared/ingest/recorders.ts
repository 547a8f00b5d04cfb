import type { NormalizedChange } from '../change/change.ts';
import type { ChangeStore, Recorded } from '../store/changes.ts';

/** A change as it counts from now on, and whether it was known before. */
export interface RecordedChange {
  readonly change: NormalizedChange;
  readonly result: Recorded;
}

/** How the changes of one batch get into `changes`. */
export interface Recorder {
  /** The change as it is to be applied, right before that; most come as they are. */
  settle(change: NormalizedChange): NormalizedChange;
  /** Results stand in the order of `changes`. Throws StoreUnavailableError. */
  record(changes: readonly NormalizedChange[]): Promise<RecordedChange[]>;
}

/** Records nothing: for changes that can be recognised and ordered by themselves. */
export const WITHOUT_HISTORY: Recorder = {
  settle: (change) => change,
  record: async (changes) => changes.map((change) => ({ change, result: 'created' })),
};

/** For changes that come out the same from every delivery: what was recorded before need not be read. */
export function recordAll(store: ChangeStore): Recorder {
  return {
    settle: (change) => change,
    async record(changes) {
      const results = await store.record(changes);
      return changes.map((change, index) => ({ change, result: results[index] ?? 'created' }));
    },
  };
}

/** For changes that come out differently from another delivery: of each the one that was recorded first counts. */
export function recordFirst(store: ChangeStore): Recorder {
  return {
    settle: (change) => change,
    async record(changes) {
      const results = await store.record(changes);
      const known = changes.filter((_, index) => results[index] === 'known');
      const earlier = (known.length === 0 ? [] : await store.recorded(known)).values();
      return changes.map((change, index) => {
        const result = results[index] ?? 'created';
        if (result !== 'known') return { change, result };
        const first = earlier.next().value;
        return { change: first === undefined ? change : { ...change, ...first }, result };
      });
    },
  };
}
