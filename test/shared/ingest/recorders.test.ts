import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { recordFirst } from '../../../shared/ingest/recorders.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { TestTable } from './changes.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

describe('of changes that come several times in one batch', () => {
  test('the oldest delivery is recorded and counts for all, in whatever order they stand', async () => {
    let run = 0;
    const deliveries = fc.array(fc.record({ change: fc.nat(4), arrival: fc.nat(9) }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(deliveries, deliveries, async (batch, again) => {
        const table = new TestTable(`copies${run++}`);
        const recorder = recordFirst((await store.open()).changes);
        const known = new Map<number, number>();
        for (const sent of [batch, again]) {
          const changes = sent.map(({ change, arrival }) => {
            // What it carries may differ, too: the bytes may be read by other metadata.
            return {
              ...table.update(arrival, { id: change % 2, arrival }),
              identity: `${table.table} change ${change}`,
            };
          });
          const isKnown = new Set(known.keys());
          for (const { change, arrival } of sent) {
            if (!isKnown.has(change)) known.set(change, Math.min(known.get(change) ?? arrival, arrival));
          }
          const recorded = await recorder.record(changes);
          assert.deepEqual(
            recorded.map(({ change, result }) => [change.after?.arrival, change.token, result]),
            sent.map(({ change }) => {
              const first = known.get(change) ?? 0;
              const result = isKnown.has(change) ? 'known' : 'created';
              isKnown.add(change);
              return [first, table.update(first, { id: 0 }).token, result];
            }),
          );
        }
      }),
      { numRuns: 15 },
    );
  });
});
