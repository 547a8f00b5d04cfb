import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { arrivalText } from '../../../shared/ingest/arrivalToken.ts';
import type { Outcome } from '../../../shared/ingest/delivery.ts';
import { Parking, type WaitingRecord } from '../../../shared/ingest/parking.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { RequestClock } from '../../../shared/ingest/requestClock.ts';
import { deaths } from '../deaths.ts';
import { startTestStore, type TestStore } from '../testStore.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

async function parking(timeoutMs = 3_600_000): Promise<Parking> {
  const opened = await store.open();
  return new Parking(opened.parked, new Pipeline(opened, store.config), timeoutMs);
}

function waiting(waitingFor: string, text: string, arrival: string): WaitingRecord {
  return { waitingFor, arrival, position: { text }, bytes: Buffer.from(text) };
}

function park(lot: Parking, source: 'goldengate' | 'qlik', stream: string, records: readonly WaitingRecord[]) {
  return lot.park(source, stream, records, new RequestClock(0));
}

/** Replays and notes what came, in order. */
async function replayed(lot: Parking, waitingFor: string, outcome: Outcome['outcome'] = 'applied') {
  const seen: string[] = [];
  await lot.replay(waitingFor, async (records) => {
    for (const { bytes, arrival } of records) seen.push(`${Buffer.from(bytes)} ${arrival}`);
    return records.map(() => ({ outcome }) as Outcome);
  });
  return seen;
}

describe('records that wait', () => {
  test('are replayed in the order of their request, once, with the arrival that they came with first', async () => {
    const lot = await parking();
    const records = [waiting('T1', 'a', '1'), waiting('T1', 'b', '2'), waiting('T2', 'x', '1')];
    assert.deepEqual(await park(lot, 'goldengate', 's', records), Array(3).fill({ outcome: 'parked' }));
    await park(lot, 'goldengate', 's', [waiting('T1', 'a', '9')]);
    assert.deepEqual(await replayed(lot, 'T1'), ['a 1', 'b 2']);
    assert.deepEqual(await replayed(lot, 'T1'), []);
    assert.deepEqual(await replayed(lot, 'T2'), ['x 1']);
  });

  test('and still cannot be changes go on waiting, however many they are', async () => {
    const lot = await parking();
    const records = Array.from({ length: 450 }, (_, n) => waiting('many', `r${n}`, String(n).padStart(3, '0')));
    await park(lot, 'goldengate', 's', records);
    assert.equal((await replayed(lot, 'many', 'parked')).length, 450);
    assert.equal((await replayed(lot, 'many')).length, 450);
    assert.equal((await replayed(lot, 'many')).length, 0);
  });

  test('are named to the sweep by what they wait for', async () => {
    const lot = await parking();
    await park(lot, 'qlik', 's2', [waiting('W', 'x', '1'), waiting('W', 'y', '2')]);
    assert.deepEqual(await lot.waits('qlik'), [{ source: 'qlik', stream: 's2', waitingFor: 'W' }]);
    await replayed(lot, 'W');
  });

  test('too long become dead letters with their bytes and their arrival', async () => {
    await park(await parking(), 'goldengate', 'late', [waiting('never', 'record', '00123')]);
    assert.equal(await (await parking()).expire(), 0);
    assert.equal(await (await parking(-1)).expire(), 1);
    const letters = (await store.documents('deadletters')).filter(({ stream }) => stream === 'late');
    assert.deepEqual(
      letters.map(({ reason, bytes, arrival, detail }) => ({ reason, bytes, arrival, detail })),
      [
        {
          reason: 'no-key',
          bytes: Buffer.from('record').toString('base64'),
          arrival: '00123',
          detail: 'waited in vain for never',
        },
      ],
    );
    assert.deepEqual(await store.documents('parked'), []);
  });

  test('are there after a death at any write of a replay or an expiry, or settled, and never both lost', async () => {
    for (const death of ['before', 'after'] as const) {
      await park(await parking(), 'goldengate', 'dying', [waiting('D', `r ${death}`, '1')]);
      store.proxy.arm(0, death);
      await assert.rejects(replayed(await parking(), 'D'), { name: 'StoreUnavailableError' });
      store.proxy.disarm();
      const again = await replayed(await parking(), 'D');
      assert.ok(
        death === 'after' || again.length === 1,
        'a record whose removal did not get through is replayed again',
      );
      for (let writes = 0; writes < 2; writes++) {
        await park(await parking(), 'goldengate', 'dying', [waiting('E', `r ${death} ${writes}`, '1')]);
        store.proxy.arm(writes, death);
        await assert.rejects((await parking(-1)).expire(), { name: 'StoreUnavailableError' });
        store.proxy.disarm();
        await (await parking(-1)).expire();
      }
    }
    const letters = (await store.documents('deadletters')).filter(({ stream }) => stream === 'dying');
    assert.equal(letters.length, 4);
    assert.deepEqual(await store.documents('parked'), []);
  });
});

describe('records of one request that wait for one thing', () => {
  const NOON = Date.UTC(2026, 0, 1, 12);
  /** More than two requests to the store take. The first are large, so that requests under way at once would pass each other. */
  const LENGTH = 250;
  const LARGE = 60;
  /** One that goes to the store by itself. */
  const HUGE_AT = 230;

  const textOf = (n: number) => {
    if (n === HUGE_AT) return `${n}${'x'.repeat(800_000)}`;
    return n < LARGE ? `${n}${'x'.repeat(10_000)}` : String(n);
  };
  const parkAt = async (waitingFor: string, clockMs: number) => {
    const records = Array.from({ length: LENGTH }, (_, n) => waiting(waitingFor, textOf(n), arrivalText(clockMs, n)));
    return (await parking()).park('goldengate', 's', records, new RequestClock(clockMs));
  };

  /** Replays, and asserts that order and arrivals are those of the request. */
  async function assertInOrder(waitingFor: string, context: string): Promise<void> {
    const seen: { readonly text: string; readonly arrival: string }[] = [];
    await (await parking()).replay(waitingFor, async (records) => {
      for (const { bytes, arrival } of records) seen.push({ text: Buffer.from(bytes).toString(), arrival });
      return records.map(() => ({ outcome: 'applied' }));
    });
    assert.deepEqual(
      seen.map(({ text }) => Number.parseInt(text, 10)),
      Array.from({ length: LENGTH }, (_, n) => n),
      context,
    );
    const arrivals = seen.map(({ arrival }) => arrival);
    assert.deepEqual(arrivals, [...new Set(arrivals)].sort(), context);
  }

  test('stay in its order, whichever write an attempt is cut off at, and whatever the next one finds on its clock', async () => {
    store.proxy.disarm();
    await parkAt('undisturbed', NOON);
    const total = store.proxy.writes;
    assert.ok(total > 2, `${total} writes`);
    for (const { writes, death } of deaths(total)) {
      for (const laterMs of [-1_000, 1_000]) {
        const waitingFor = `cut ${writes} ${death} ${laterMs}`;
        store.proxy.arm(writes, death);
        await assert.rejects(parkAt(waitingFor, NOON), { name: 'StoreUnavailableError' });
        store.proxy.disarm();
        assert.deepEqual(await parkAt(waitingFor, NOON + laterMs), Array(LENGTH).fill({ outcome: 'parked' }));
        await assertInOrder(waitingFor, waitingFor);
      }
    }
  });

  test('stay in its order when attempts are under way at once', async () => {
    await Promise.all([0, -1_000, 1_000, -2_000].map((laterMs) => parkAt('at once', NOON + laterMs)));
    await assertInOrder('at once', 'at once');
  });

  test('come after what waited before them, also on an instance whose clock is behind', async () => {
    const clock = new RequestClock(NOON);
    const lot = await parking();
    await lot.park('goldengate', 's', [waiting('skew', 'first', arrivalText(NOON + 200, 7))], new RequestClock(NOON));
    const later = ['second', 'third'].map((text, n) => waiting('skew', text, arrivalText(NOON, n)));
    await lot.park('goldengate', 's', later, clock);
    const expected = [
      `first ${arrivalText(NOON + 200, 7)}`,
      `second ${arrivalText(NOON + 201, 0)}`,
      `third ${arrivalText(NOON + 201, 1)}`,
    ];
    assert.equal(clock.nowMs, NOON + 202);
    // What has come before keeps its arrival, whatever waits by now.
    await lot.parkArrived('goldengate', 's', [waiting('skew', 'earliest', arrivalText(NOON, 0))]);
    assert.deepEqual(await replayed(lot, 'skew'), [`earliest ${arrivalText(NOON, 0)}`, ...expected]);
  });

  test('that stand in it twice wait once, where they stood first', async () => {
    const lot = await parking();
    const records = ['a', 'b', 'a', 'c'].map((text, n) => waiting('twice', text, arrivalText(NOON, n)));
    assert.deepEqual(await park(lot, 'goldengate', 's', records), Array(4).fill({ outcome: 'parked' }));
    const seen = await replayed(lot, 'twice');
    assert.deepEqual(
      seen,
      [0, 1, 3].map((n) => `${['a', 'b', '', 'c'][n]} ${arrivalText(NOON, n)}`),
    );
  });

  test('take few requests', async () => {
    const lot = await parking();
    const records = Array.from({ length: 100 }, (_, n) => waiting('few', `r${n}`, arrivalText(NOON, n)));
    const before = store.proxy.requests;
    await park(lot, 'goldengate', 's', records);
    // A query may need its plan first.
    assert.ok(store.proxy.requests - before <= 4, `${store.proxy.requests - before} requests`);
  });
});
