import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { SeededRandom } from '../../../local/samples/random.ts';
import { ShopModel } from '../../../local/samples/shopModel.ts';
import type { HubEvent } from '../../../shared/ces/batch.ts';
import { modelOf, rowsByTable } from '../../faults/modelRows.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { consumerOn } from './consumerOn.ts';
import { randomEvents } from './randomEvents.ts';

/** More in `npm run test:faults`, which sets it. */
const RUNS = Number(process.env.SPLIT_EVENT_RUNS ?? 12);
const PARTITIONS = 4;

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

/** Deals all pieces, some of them twice, to partitions, and cuts each partition's share into batches. */
function deal(bodies: readonly Uint8Array[], random: SeededRandom): HubEvent[][] {
  const twice = bodies.filter(() => random.oneIn(10));
  const all = [...bodies, ...twice]
    .map((bytes) => ({ bytes, order: random.fraction() }))
    .sort((a, b) => a.order - b.order);
  const batches: HubEvent[][] = [];
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const share = all.filter((_, n) => n % PARTITIONS === partition);
    for (let start = 0, size = 0; start < share.length; start += size) {
      size = random.integer(1, 60);
      batches.push(
        share.slice(start, start + size).map(({ bytes }, n) => ({
          bytes,
          partition: String(partition),
          sequenceNumber: start + n,
          offset: String(start + n),
          enqueuedAt: '2026-08-07T16:31:00.000Z',
        })),
      );
    }
  }
  return batches.sort(() => random.fraction() - 0.5);
}

function holdsAll(batch: readonly HubEvent[], bodies: readonly Uint8Array[]): boolean {
  const held = new Set(batch.map(({ bytes }) => bytes));
  return bodies.every((bytes) => held.has(bytes));
}

describe('split events', () => {
  test('always come out as the original rows, and leave completed manifests only', async () => {
    let run = 0;
    let spread = 0;
    const property = fc.asyncProperty(
      randomEvents(() => ++run, 20),
      fc.integer(),
      async (events, seed) => {
        const random = new SeededRandom(seed);
        const model = new ShopModel('ces');
        for (const { event } of events) model.apply(event);
        let consumer = await consumerOn(store);
        const batches = deal(
          events.flatMap(({ bodies }) => bodies),
          random,
        );
        spread += events.filter(({ bodies }) => !batches.some((batch) => holdsAll(batch, bodies))).length;
        for (const batch of batches) {
          // A process that dies somewhere in the batch, or after it and before the checkpoint: the batch comes again.
          if (random.oneIn(4)) {
            store.proxy.arm(random.integer(0, 8), random.oneIn(2) ? 'before' : 'after');
            await consumer.consume(batch).catch((error: Error) => assert.equal(error.name, 'StoreUnavailableError'));
            store.proxy.disarm();
            consumer = await consumerOn(store);
          }
          // Two instances at work at once.
          if (random.oneIn(4)) {
            const other = await consumerOn(store);
            await Promise.all([consumer.consume(batch), other.consume(batch)]);
          } else await consumer.consume(batch);
        }
        const [table] = model.rows.keys();
        const rows = (await store.documents('rows')).filter((row) => row.table === table);
        assert.deepEqual(rowsByTable(rows as never), modelOf(model));
      },
    );
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    const left = await store.documents('segments');
    assert.deepEqual(
      left.filter(({ kind, state }) => kind !== 'manifest' || state !== 'complete'),
      [],
    );
    // An event that no batch held whole was put together from what earlier batches left.
    assert.ok(left.length >= spread, `${left.length} manifests of ${spread} events`);
    assert.ok(spread > 0, 'no event was spread over batches');
    assert.deepEqual(await store.documents('deadletters'), []);
  });
});
