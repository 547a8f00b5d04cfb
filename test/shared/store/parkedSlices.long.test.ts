import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { arrivalText } from '../../../shared/ingest/arrivalToken.ts';
import type { ParkedRecord } from '../../../shared/ingest/parkedStore.ts';
import { Parking } from '../../../shared/ingest/parking.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { RequestClock } from '../../../shared/ingest/requestClock.ts';
import { startTestStore, type TestStore } from '../testStore.ts';

const MB = 1_000_000;
const SLICE_CHARACTERS = 4 * 1_024 * 1_024;

let store: TestStore;
before(async () => {
  store = await startTestStore({ blobs: true });
});
after(() => store.close());

async function parking(timeoutMs = 3_600_000): Promise<Parking> {
  const opened = await store.open();
  return new Parking(opened.parked, new Pipeline(opened, store.config), timeoutMs);
}

/** Parks records of these sizes, in bytes, in one request. */
async function park(waitingFor: string, sizes: readonly number[]): Promise<void> {
  const records = sizes.map((size, index) => {
    return { waitingFor, arrival: arrivalText(1, index), position: { index }, bytes: Buffer.alloc(size, index) };
  });
  await (await parking()).park('goldengate', waitingFor, records, new RequestClock(1));
}

async function slices(found: AsyncIterable<readonly ParkedRecord[]>) {
  const all: { readonly places: number[]; readonly characters: number }[] = [];
  for await (const slice of found) {
    const places = slice.map(({ position }) => Number(position.index));
    all.push({ places, characters: slice.reduce((sum, { bytes }) => sum + bytes.length, 0) });
  }
  return all;
}

describe('records that waited', () => {
  test('are read in order, some megabytes at a time, whether they are in documents or in Blob Storage', async () => {
    const sizes = [10, 3 * MB, 10, 3.5 * MB, 3.5 * MB, MB, MB, MB, MB, MB, 10];
    await park('large', sizes);
    const { parked } = await store.open();
    const inTomorrow = new Date(Date.now() + 86_400_000).toISOString();
    for (const found of [parked.waitingFor('large'), parked.parkedBefore(inTomorrow)]) {
      const taken = await slices(found);
      assert.deepEqual(
        taken.flatMap(({ places }) => places),
        sizes.map((_, index) => index),
      );
      for (const { places, characters } of taken) {
        assert.ok(places.length === 1 || characters <= SLICE_CHARACTERS, `${places.length}: ${characters}`);
      }
    }
    assert.equal(await (await parking(-1)).expire(), sizes.length);
    assert.deepEqual(await store.documents('parked'), []);
  });

  test('and are small are read many at a time', async () => {
    await park('small', new Array<number>(250).fill(100));
    const { parked } = await store.open();
    const taken = await slices(parked.waitingFor('small'));
    assert.deepEqual(
      taken.map(({ places }) => places.length),
      [200, 50],
    );
    await (await parking()).replay('small', async (records) => records.map(() => ({ outcome: 'applied' })));
  });

  test('too long become dead letters in the order of their arrival, though a request is more than a sweep takes', async () => {
    await park('many', new Array<number>(130).fill(1));
    assert.equal(await (await parking(-1)).expire(), 100);
    const left = (await store.documents('parked')).map(({ position }) => (position as { index: number }).index);
    assert.deepEqual(
      left.sort((a, b) => a - b),
      Array.from({ length: 30 }, (_, index) => 100 + index),
    );
    assert.equal(await (await parking(-1)).expire(), 30);
  });
});
