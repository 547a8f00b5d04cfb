import type { NormalizedChange } from '../change/change.ts';
import type { ChangeStore, Recorded } from '../store/changes.ts';
import { rowName } from './rowName.ts';

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

/**
 * For changes that come out differently from another delivery: of each the one that was recorded first counts. Of several
 * deliveries in one batch that is the one with the least token; it goes alone, for nothing says which of the documents
 * that are created at once comes first.
 */
export function recordFirst(store: ChangeStore): Recorder {
  return {
    settle: (change) => change,
    async record(changes) {
      const oldest = oldestDeliveries(changes);
      const sent = [...oldest.values()];
      const results = await store.record(sent);
      const known = sent.filter((_, index) => results[index] === 'known');
      const earlier = (known.length === 0 ? [] : await store.recorded(known)).values();
      const recorded = new Map<string, RecordedChange>();
      [...oldest.keys()].forEach((name, index) => {
        const change = sent[index] as NormalizedChange;
        const result = results[index] ?? 'created';
        const first = result === 'known' ? earlier.next().value : undefined;
        recorded.set(name, { change: first === undefined ? change : { ...change, ...first }, result });
      });
      return changes.map((change) => {
        const name = documentName(change);
        const result = recorded.get(name) as RecordedChange;
        // From here on it is known.
        if (result.result === 'created') recorded.set(name, { ...result, result: 'known' });
        return result;
      });
    },
  };
}

/** Of each change the delivery with the least token, by the document that it is recorded in. */
function oldestDeliveries(changes: readonly NormalizedChange[]): ReadonlyMap<string, NormalizedChange> {
  const oldest = new Map<string, NormalizedChange>();
  for (const change of changes) {
    const name = documentName(change);
    const other = oldest.get(name);
    if (other === undefined || change.token < other.token) oldest.set(name, change);
  }
  return oldest;
}

function documentName({ table, key, identity }: NormalizedChange): string {
  return `${rowName(table, key)}\n${identity}`;
}
