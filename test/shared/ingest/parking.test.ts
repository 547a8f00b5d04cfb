import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Outcome } from '../../../shared/ingest/delivery.ts';
import { Parking, type WaitingRecord } from '../../../shared/ingest/parking.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
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
  test('are replayed in the order of their arrival, once, with the arrival that they came with first', async () => {
    const lot = await parking();
    const records = [waiting('T1', 'b', '2'), waiting('T1', 'a', '1'), waiting('T2', 'x', '1')];
    assert.deepEqual(await lot.park('goldengate', 's', records), Array(3).fill({ outcome: 'parked' }));
    await lot.park('goldengate', 's', [waiting('T1', 'a', '9')]);
    assert.deepEqual(await replayed(lot, 'T1'), ['a 1', 'b 2']);
    assert.deepEqual(await replayed(lot, 'T1'), []);
    assert.deepEqual(await replayed(lot, 'T2'), ['x 1']);
  });

  test('and still cannot be changes go on waiting, however many they are', async () => {
    const lot = await parking();
    const records = Array.from({ length: 450 }, (_, n) => waiting('many', `r${n}`, String(n).padStart(3, '0')));
    await lot.park('goldengate', 's', records);
    assert.equal((await replayed(lot, 'many', 'parked')).length, 450);
    assert.equal((await replayed(lot, 'many')).length, 450);
    assert.equal((await replayed(lot, 'many')).length, 0);
  });

  test('are named to the sweep by what they wait for', async () => {
    const lot = await parking();
    await lot.park('qlik', 's2', [waiting('W', 'x', '1'), waiting('W', 'y', '2')]);
    assert.deepEqual(await lot.waits('qlik'), [{ source: 'qlik', stream: 's2', waitingFor: 'W' }]);
    await replayed(lot, 'W');
  });

  test('too long become dead letters with their bytes and their arrival', async () => {
    await (await parking()).park('goldengate', 'late', [waiting('never', 'record', '00123')]);
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
      await (await parking()).park('goldengate', 'dying', [waiting('D', `r ${death}`, '1')]);
      store.proxy.arm(0, death);
      await assert.rejects(replayed(await parking(), 'D'), { name: 'StoreUnavailableError' });
      store.proxy.disarm();
      const again = await replayed(await parking(), 'D');
      assert.ok(
        death === 'after' || again.length === 1,
        'a record whose removal did not get through is replayed again',
      );
      for (let writes = 0; writes < 2; writes++) {
        await (await parking()).park('goldengate', 'dying', [waiting('E', `r ${death} ${writes}`, '1')]);
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
