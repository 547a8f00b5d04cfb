import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ArrivalDelivery, ArrivalPipeline, type PendingChange } from '../../../shared/ingest/arrival.ts';
import { arrivalText, clockOfArrival } from '../../../shared/ingest/arrivalToken.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { UnprocessableError } from '../../../shared/ingest/reasons.ts';
import { RequestClock } from '../../../shared/ingest/requestClock.ts';
import { deaths } from '../deaths.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { PendingTable, request } from './arrivals.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const NOON = Date.UTC(2026, 0, 1, 12);

async function arrivals(): Promise<ArrivalPipeline> {
  const opened = await store.open();
  return new ArrivalPipeline(opened, new Pipeline(opened, store.config));
}

async function ingest(changes: readonly PendingChange[], clockMs = NOON): Promise<string[]> {
  const outcomes = await (await arrivals()).ingest('goldengate', 's', request(changes), new RequestClock(clockMs));
  return outcomes.map(({ outcome }) => outcome);
}

async function contentOf({ table }: PendingTable) {
  const rows = (await store.documents('rows')).filter((row) => row.table === table);
  const changes = (await store.documents('changes')).filter((change) => change.table === table);
  return { rows: Object.fromEntries(rows.map((row) => [row.id, row.deleted ? 'deleted' : row.row])), changes };
}

describe('changes that their source orders only in part', () => {
  test('are ordered by the source first, whenever they arrive', async () => {
    const table = new PendingTable('sourceFirst');
    assert.deepEqual(await ingest([table.put('b', 2, { id: 1, v: 'new' })]), ['applied']);
    assert.deepEqual(await ingest([table.put('a', 1, { id: 1, v: 'old' })], NOON + 1), ['stale']);
    assert.deepEqual((await contentOf(table)).rows, { 1: { id: 1, v: 'new' } });
  });

  test('and not told apart by it keep their place in the request', async () => {
    const table = new PendingTable('place');
    const changes = [
      table.put('a', 1, { id: 1, v: 1 }),
      table.put('b', 1, { id: 1, v: 2 }),
      table.delete('c', 1, 1),
      table.put('d', 1, { id: 1, v: 4 }),
      table.put('e', 1, { id: 2, v: 5 }),
      table.delete('f', 1, 2),
    ];
    assert.deepEqual(await ingest(changes), Array(6).fill('applied'));
    assert.deepEqual((await contentOf(table)).rows, { 1: { id: 1, v: 4 }, 2: 'deleted' });
    assert.deepEqual(await ingest(changes.toReversed(), NOON + 5), Array(6).fill('duplicate'));
    assert.deepEqual((await contentOf(table)).rows, { 1: { id: 1, v: 4 }, 2: 'deleted' });
  });

  test('come after what was answered, also on an instance whose clock is behind', async () => {
    const table = new PendingTable('clocks');
    await ingest([table.put('a', 1, { id: 1, v: 'first' })], NOON + 60_000);
    assert.deepEqual(await ingest([table.put('b', 1, { id: 1, v: 'second' })], NOON), ['applied']);
    await ingest([table.delete('c', 1, 1)], NOON - 60_000);
    assert.deepEqual((await contentOf(table)).rows, { 1: 'deleted' });
  });

  test('that were sent by two requests at once end in one state that both agree on', async () => {
    const table = new PendingTable('race');
    const changes = Array.from({ length: 5 }, (_, n) => table.put(`p${n}`, 1, { id: 1, v: n }));
    await Promise.all([ingest(changes, NOON), ingest(changes, NOON + 1), ingest(changes, NOON + 2)]);
    assert.deepEqual((await contentOf(table)).rows, { 1: { id: 1, v: 4 } });
    assert.equal((await contentOf(table)).changes.length, 5);
  });

  test('with an arrival from before keep it', async () => {
    const table = new PendingTable('fixed');
    await ingest([table.put('b', 1, { id: 1, v: 'later' })], NOON);
    const [late] = request([table.put('a', 1, { id: 1, v: 'earlier', w: 1 })]);
    assert.ok(late !== undefined);
    const outcomes = await (await arrivals()).replay('goldengate', 's', [
      { ...late, arrival: arrivalText(NOON - 1, 0) },
    ]);
    assert.deepEqual(outcomes, [{ outcome: 'applied' }]);
    assert.deepEqual((await contentOf(table)).rows, { 1: { id: 1, v: 'later', w: 1 } });
  });

  test('that cannot be changes leave their arrival with the dead letter, the first one for good', async () => {
    const bad = {
      decoded: new UnprocessableError('invalid-envelope', 'no table'),
      index: 3,
      position: {},
      bytes: Buffer.from('bad'),
    };
    const pipeline = await arrivals();
    await pipeline.ingest('goldengate', 's', [bad], new RequestClock(NOON));
    await pipeline.ingest('goldengate', 's', [bad], new RequestClock(NOON + 1));
    const letters = (await store.documents('deadletters')).map(({ arrival, detail }) => [arrival, detail]);
    assert.deepEqual(letters, [[arrivalText(NOON, 3), 'no table']]);
  });

  test('end in the same rows and changes whichever write the process dies at, and whether that write got through', async () => {
    // Everything has one source position: only arrival tells the order.
    const scenario = (table: PendingTable) => [
      table.put('a', 1, { id: 1, v: 'a', w: 'a' }),
      table.put('b', 1, { id: 1, v: 'b' }),
      table.put('c', 1, { id: 2, v: 'c' }),
      table.move('d', 1, 1, { id: 3, v: 'd' }),
      table.put('e', 1, { id: 3, x: 'e' }),
      table.put('f', 1, { id: 1, v: 'f' }),
      table.delete('g', 1, 2),
    ];
    const content = async (table: PendingTable) => {
      const { rows, changes } = await contentOf(table);
      return { rows, changes: changes.map(({ key, op, after: image }) => JSON.stringify({ key, op, image })).sort() };
    };
    const undisturbed = new PendingTable('undisturbed');
    store.proxy.disarm();
    await ingest(scenario(undisturbed));
    const total = store.proxy.writes;
    const expected = await content(undisturbed);
    assert.deepEqual(expected.rows, {
      1: { id: 1, v: 'f' },
      2: 'deleted',
      3: { id: 3, v: 'd', w: 'a', x: 'e' },
    });
    for (const { writes, death } of deaths(total)) {
      const table = new PendingTable(`death ${death} write ${writes}`);
      store.proxy.arm(writes, death);
      await assert.rejects(ingest(scenario(table)), { name: 'StoreUnavailableError' });
      store.proxy.disarm();
      // The second attempt may be on an instance whose clock is behind.
      await ingest(scenario(table), NOON - 5_000);
      assert.deepEqual(await content(table), expected, `${death} write ${writes}`);
    }
  });
});

describe('bad records of one request', () => {
  /** More than two requests to the store take. The first are large, so that requests under way at once would pass each other. */
  const LENGTH = 250;
  const LARGE = 60;

  const badRecords = (name: string): ArrivalDelivery[] =>
    Array.from({ length: LENGTH }, (_, index) => ({
      decoded: new UnprocessableError('unknown-operation', 'NEW is not mapped'),
      index,
      position: { name, index },
      bytes: Buffer.alloc(index < LARGE ? 10_000 : 10),
    }));
  const keepAt = async (name: string, clock: RequestClock) =>
    (await arrivals()).ingest('goldengate', 'letters', badRecords(name), clock);

  /** Asserts that the arrivals of the letters are in the order of the request. Returns them. */
  async function arrivalsOf(name: string): Promise<readonly string[]> {
    const letters = (await store.documents('deadletters'))
      .map(({ position, arrival }) => ({ ...(position as { name: string; index: number }), arrival: String(arrival) }))
      .filter((letter) => letter.name === name)
      .sort((a, b) => (a.arrival < b.arrival ? -1 : 1));
    assert.deepEqual(
      letters.map(({ index }) => index),
      Array.from({ length: LENGTH }, (_, index) => index),
      name,
    );
    return letters.map(({ arrival }) => arrival);
  }

  test('leave dead letters in its order, whichever write an attempt is cut off at, and whatever the next one finds on its clock', async () => {
    store.proxy.disarm();
    await keepAt('undisturbed', new RequestClock(NOON));
    const total = store.proxy.writes;
    assert.ok(total > 2, `${total} writes`);
    const undisturbed = badRecords('undisturbed').map(({ index }) => arrivalText(NOON, index));
    assert.deepEqual(await arrivalsOf('undisturbed'), undisturbed);
    for (const { writes, death } of deaths(total)) {
      for (const laterMs of [-1_000, 1_000]) {
        const name = `cut ${writes} ${death} ${laterMs}`;
        store.proxy.arm(writes, death);
        await assert.rejects(keepAt(name, new RequestClock(NOON)), { name: 'StoreUnavailableError' });
        store.proxy.disarm();
        const clock = new RequestClock(NOON + laterMs);
        await keepAt(name, clock);
        const newest = (await arrivalsOf(name)).at(-1) ?? '';
        assert.ok(clock.nowMs > clockOfArrival(newest), name);
      }
    }
  });
});
