import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import fc from 'fast-check';
import type { QlikEvent, QlikTable } from '../../../local/samples/qlik/qlikEvent.ts';
import { dataAvro, metadataAvro } from '../../../local/samples/qlik/renderAvro.ts';
import { dataJson, metadataJson } from '../../../local/samples/qlik/renderJson.ts';
import { SeededRandom } from '../../../local/samples/random.ts';
import { type Columns, canonicalJson } from '../../../shared/change/json.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { consumerOn, post } from './consumerOn.ts';
import { RandomSource } from './randomHistory.ts';

/** More in `npm run test:faults`, which sets it. */
const RUNS = Number(process.env.QLIK_HISTORY_RUNS ?? 5);
/** Longer than the pause that separates loads. */
const BETWEEN_LOADS_MS = 16 * 60 * 1000;
const REQUEST_MS = 3;

let store: TestStore;
before(async () => {
  store = await startTestStore();
  // Loads are told apart by the clock.
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
});
after(async () => {
  mock.timers.reset();
  await store.close();
});

interface Rendering {
  readonly name: string;
  readonly data: (event: QlikEvent) => Uint8Array;
  readonly metadata: (table: QlikTable) => Uint8Array;
  /** How several messages stand in one body. */
  readonly join: (messages: readonly Uint8Array[]) => Uint8Array;
}

const RENDERINGS: readonly Rendering[] = [
  {
    name: 'json',
    data: (event) => Buffer.from(dataJson(event)),
    metadata: (table) => Buffer.from(metadataJson(table)),
    join: (messages) => Buffer.from(`[${messages.map((message) => Buffer.from(message).toString()).join(',')}]`),
  },
  { name: 'avro', data: dataAvro, metadata: metadataAvro, join: (messages) => Buffer.concat(messages) },
];

/** The requests of one history: stretch by stretch, within each shuffled, some twice, metadata anywhere from its stretch on. */
function* requestsOf(source: ReturnType<RandomSource['history']>, rendering: Rendering, random: SeededRandom) {
  const pending = new Set(source.versions);
  for (const [at, { opensLoad, events }] of source.stretches.entries()) {
    const [first, ...others] = events.map((event) => ({ event, message: rendering.data(event) }));
    if (first === undefined) continue;
    const isLast = at === source.stretches.length - 1;
    const metadata = [...pending].filter(() => isLast || random.oneIn(2));
    for (const table of metadata) pending.delete(table);
    const head = opensLoad ? [first.message] : [];
    const rest = [...(opensLoad ? others : [first, ...others]).map(({ message }) => message)];
    const twice = rest.filter(() => random.oneIn(8));
    const shuffled = [...rest, ...twice, ...metadata.map(rendering.metadata)]
      .map((message) => ({ message, order: random.fraction() }))
      .sort((a, b) => a.order - b.order)
      .map(({ message }) => message);
    const all = [...head, ...shuffled];
    for (let start = 0, size = 0; start < all.length; start += size) {
      size = random.integer(1, 8);
      yield { opensLoad: opensLoad && start === 0, body: rendering.join(all.slice(start, start + size)) };
    }
  }
}

function textOf(rows: Iterable<readonly [string, Columns | undefined]>): Readonly<Record<string, string>> {
  const texts = [...rows].map(([id, row]) => [id, row === undefined ? 'deleted' : canonicalJson(row)] as const);
  return Object.fromEntries(texts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('random histories in JSON and in Avro, shuffled, repeated and cut off', () => {
  test('always end in the rows of the source', async () => {
    let run = 0;
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      run++;
      for (const rendering of RENDERINGS) {
        const random = new SeededRandom(seed);
        const history = new RandomSource(random, `t${run}`).history();
        const stream = `${rendering.name}${run}`;
        let consumer = await consumerOn(store, stream);
        for (const { opensLoad, body } of requestsOf(history, rendering, random)) {
          mock.timers.tick(opensLoad ? BETWEEN_LOADS_MS : REQUEST_MS);
          // A process that dies somewhere in the request: the sender sends it again, to another one.
          if (random.oneIn(5)) {
            store.proxy.arm(random.integer(0, 8), random.oneIn(2) ? 'before' : 'after');
            const { status } = await post(consumer, stream, body);
            assert.ok(status === 200 || status === 503, `status ${status}`);
            store.proxy.disarm();
            consumer = await consumerOn(store, stream);
          }
          assert.equal((await post(consumer, stream, body)).status, 200);
        }
        const rows = (await store.documents('rows')).filter((row) => row.stream === stream);
        const found = rows.map((row): [string, Columns | undefined] => [
          String(row.id),
          row.deleted === true ? undefined : (row.row as Columns),
        ]);
        assert.deepEqual(textOf(found), textOf(history.rows), `${rendering.name}, seed ${seed}`);
      }
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    assert.deepEqual(await store.documents('parked'), []);
    assert.deepEqual(await store.documents('deadletters'), []);
  });
});
