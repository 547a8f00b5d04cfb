import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { metadataJson } from '../../../local/samples/qlik/renderJson.ts';
import type { DeadLetterAddress } from '../../../shared/store/deadLetters.ts';
import { deaths } from '../deaths.ts';
import { instanceOn, post as postGoldenGate } from '../goldengate/consumerOn.ts';
import { METADATA } from '../goldengate/records.ts';
import { consumerOn, post as postQlik } from '../qlik/consumerOn.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { bury, letters, numbersOf, replay } from './buried.ts';
import { endOf, goldenGateLife, MOVED_ROWS, type MovingSource, QLIK_TABLE } from './movedRows.ts';

/** Their letters, three of each, are more than a page. */
const ROWS = 17;

let store: TestStore;
before(async () => {
  store = await startTestStore({ settings: { TOMBSTONE_TTL_DAYS: '3650' } });
});
after(() => store.close());
beforeEach(async () => {
  const opened = await store.open();
  await opened.deadLetters.purge(await letters(store));
});

async function rowsOf(stream: string, source: MovingSource = 'goldengate') {
  const rows = (await store.documents('rows')).filter((row) => row.stream === stream && row.source === source);
  return Object.fromEntries(rows.map((row) => [row.id, row.deleted ? 'deleted' : row.row]));
}

/** Replays in calls that are as short as can be. Returns what was replayed. */
async function replayInPages(which: readonly DeadLetterAddress[] | 'all'): Promise<number> {
  let replayed = 0;
  for (let continuation: string | null = null; ; ) {
    const report = await replay(store, which, { continuation, timeLimitMs: -1 });
    replayed += report.replayed;
    assert.equal(report.remaining === 0, report.continuation === null);
    if (report.continuation === null) return replayed;
    continuation = report.continuation;
  }
}

describe('letters of one stream are replayed in the order in which they came', () => {
  test('when a filter names them', async () => {
    await postQlik(await consumerOn(store, 'filtered'), 'filtered', metadataJson(QLIK_TABLE));
    await bury(store, 'qlik', 'filtered', MOVED_ROWS.qlik(ROWS));
    assert.equal(await replayInPages('all'), 3 * ROWS);
    assert.deepEqual(await rowsOf('filtered', 'qlik'), endOf('qlik', ROWS));
    assert.deepEqual(await letters(store), []);
  });

  test('when ids name them, in whatever order', async () => {
    const ids = await bury(store, 'goldengate', 'named', MOVED_ROWS.goldengate(ROWS));
    assert.equal(await replayInPages(ids.toReversed()), 3 * ROWS);
    assert.deepEqual(await rowsOf('named'), endOf('goldengate', ROWS));
    assert.deepEqual(await letters(store), []);
  });

  test('which for messages of a hub is its own', async () => {
    await bury(store, 'ces', 'ces', MOVED_ROWS.ces(6).toReversed());
    assert.equal(await replayInPages('all'), 18);
    assert.deepEqual(await rowsOf('ces', 'ces'), endOf('ces', 6));
  });

  test('when they had waited in vain for a key that is known now', async () => {
    const { consumer, parking } = await instanceOn(store, 'late', {}, -1);
    const records = Array.from({ length: 6 }, (_, at) => goldenGateLife(at + 1)).flat();
    const keyless = records.map((each) => ({ ...each, primary_keys: undefined }));
    await postGoldenGate(consumer, 'late', keyless);
    assert.equal(await parking.expire(), 18);
    await postGoldenGate(consumer, 'late', METADATA);
    assert.deepEqual(numbersOf(await replay(store, 'all')), { replayed: 18, applied: 18 });
    assert.deepEqual(await rowsOf('late'), endOf('goldengate', 6));
  });

  test('with those of other streams between them, by two at once', async () => {
    const streams = ['one', 'two', 'three'];
    for (const stream of streams) await bury(store, 'goldengate', stream, MOVED_ROWS.goldengate(3));
    await Promise.all([replay(store, 'all'), replay(store, 'all')]);
    for (const stream of streams) assert.deepEqual(await rowsOf(stream), endOf('goldengate', 3), stream);
    assert.deepEqual(await letters(store), []);
  });

  test('also after a death at any write', async () => {
    const replayed = async (stream: string, disturb: () => void) => {
      const ids = await bury(store, 'goldengate', stream, MOVED_ROWS.goldengate(2));
      disturb();
      const died = await replay(store, ids).catch((error: unknown) => error);
      const { writes } = store.proxy;
      store.proxy.disarm();
      assert.ok(!(died instanceof Error) || died.name === 'StoreUnavailableError', String(died));
      await replay(store, ids);
      assert.deepEqual(await rowsOf(stream), endOf('goldengate', 2), stream);
      return writes;
    };
    const total = await replayed('undisturbed', () => store.proxy.disarm());
    for (const { writes, death } of deaths(total)) {
      await replayed(`death-${death}-${writes}`, () => store.proxy.arm(writes, death));
    }
    assert.deepEqual(await letters(store), []);
  });
});
