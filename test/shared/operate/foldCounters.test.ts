import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { foldCounters } from '../../../shared/operate/foldCounters.ts';
import type { CounterDocument } from '../../../shared/store/counters.ts';
import { deaths } from '../deaths.ts';
import { startTestStore, type TestStore } from '../testStore.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-08-07T12:00:00Z');

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

function counters(stream: string, instance: string, daysAgo: number, received: number): CounterDocument {
  const updatedAt = new Date(NOW - daysAgo * DAY_MS).toISOString();
  return {
    id: `counters:ces:${stream}:${instance}`,
    kind: 'counters',
    stream,
    source: 'ces',
    instance,
    startedAt: updatedAt,
    updatedAt,
    counts: { received },
    minutes: {},
    requestUnits: received * 10,
    throttled: 1,
    lagSeconds: daysAgo,
  };
}

/** Documents of a stream, what they count together, and the lag that the newest of the past shows. */
async function stateOf(stream: string) {
  const all = (await (await store.open()).counters.all()).filter((each) => each.stream === stream);
  const sum = (numberOf: (document: CounterDocument) => number) =>
    all.reduce((total, each) => total + numberOf(each), 0);
  return {
    instances: all.map(({ instance }) => instance).sort(),
    received: sum(({ counts }) => counts.received ?? 0),
    requestUnits: sum(({ requestUnits }) => requestUnits),
    throttled: sum(({ throttled }) => throttled),
  };
}

async function plant(stream: string) {
  const opened = await store.open();
  for (const document of [
    counters(stream, 'a', 30, 1),
    counters(stream, 'b', 20, 2),
    counters(stream, 'c', 8, 4),
    counters(stream, 'd', 1, 8),
  ]) {
    await opened.counters.save(document);
  }
}

const FOLDED = { instances: ['d', 'past'], received: 15, requestUnits: 150, throttled: 4 };

describe('counters of instances that are gone', () => {
  test('are added to one document, and the numbers stay', async () => {
    await plant('fold');
    const { counters: counterStore } = await store.open();
    assert.equal(await foldCounters(counterStore, NOW), 3);
    assert.deepEqual(await stateOf('fold'), FOLDED);
    assert.equal(await foldCounters(counterStore, NOW), 0);
    assert.equal(await foldCounters(counterStore, NOW + 30 * DAY_MS), 1);
    assert.deepEqual(await stateOf('fold'), { ...FOLDED, instances: ['past'] });
  });

  test('count once, whichever write the process dies at, and when two fold at once', async () => {
    await plant('undisturbed');
    store.proxy.disarm();
    await foldCounters((await store.open()).counters, NOW);
    const total = store.proxy.writes;
    for (const { writes, death } of deaths(total)) {
      const stream = `death-${death}-${writes}`;
      await plant(stream);
      store.proxy.arm(writes, death);
      await assert.rejects(foldCounters((await store.open()).counters, NOW), { name: 'StoreUnavailableError' });
      store.proxy.disarm();
      assert.equal((await stateOf(stream)).received, 15, stream);
      const [one, two] = [await store.open(), await store.open()];
      await Promise.all([foldCounters(one.counters, NOW), foldCounters(two.counters, NOW)]);
      await foldCounters(one.counters, NOW);
      assert.deepEqual(await stateOf(stream), FOLDED, stream);
    }
  });
});
