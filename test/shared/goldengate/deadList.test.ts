import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { arrivalText } from '../../../shared/ingest/arrivalToken.ts';
import { bury, numbersOf, replay } from '../operate/buried.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { countsOf, instanceOn, post } from './consumerOn.ts';
import { METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const NOON = Date.UTC(2026, 0, 1, 12);

/** Everything was done at one time, so only arrival tells the order. */
const BEFORE = record('INSERT', 1, { after: { ID: 3, A: 'before', B: 'before' } });
const LIST = [
  record('INSERT', 1, { after: { ID: 1, A: 'z' } }),
  record('UPDATE', 1, { before: { ID: 1, A: 'z' }, after: { ID: 1, A: 'a' } }),
  record('DELETE', 1, { before: { ID: 2, A: 'z' } }),
  record('INSERT', 1, { after: { ID: 2, A: 'z' } }),
  ...Array.from({ length: 9 }, (_, n) => record('UPDATE', 1, { after: { ID: 3, A: `in ${9 - n}`, B: `in ${9 - n}` } })),
];
const AFTER = record('UPDATE', 1, { after: { ID: 3, A: 'after' } });
const ROWS = { 1: { ID: 1, A: 'a' }, 2: { ID: 2, A: 'z' }, 3: { ID: 3, A: 'after', B: 'in 1' } };

/** Three dead letters of one request. The one with the list is replayed last. */
async function buryAll(stream: string) {
  const [first, list, last] = await bury(
    store,
    'goldengate',
    stream,
    [BEFORE, LIST, AFTER].map((each, index) => ({
      position: { index },
      bytes: Buffer.from(JSON.stringify(each)),
      arrival: arrivalText(NOON, index),
    })),
  );
  assert.ok(first !== undefined && list !== undefined && last !== undefined);
  return [[first, last], [list]] as const;
}

async function rowsOf(stream: string) {
  const rows = (await store.documents('rows')).filter((row) => row.stream === stream);
  return Object.fromEntries(rows.map((row) => [row.id, row.deleted ? 'deleted' : row.row]));
}

describe('a list that is one dead letter', () => {
  test('keeps its order when it is replayed, and its place among its neighbours', async () => {
    const { consumer } = await instanceOn(store, 'list');
    await post(consumer, 'list', METADATA);
    const [neighbours, list] = await buryAll('list');
    assert.deepEqual(numbersOf(await replay(store, neighbours, { force: true })), { replayed: 2, applied: 2 });
    assert.deepEqual(numbersOf(await replay(store, list, { force: true })), { replayed: 1, applied: 1 });
    assert.deepEqual(await rowsOf('list'), ROWS);
  });

  test('keeps them also where its records have to wait then, and what comes later comes after them', async () => {
    const { consumer } = await instanceOn(store, 'waitingList');
    const [neighbours, list] = await buryAll('waitingList');
    assert.deepEqual(numbersOf(await replay(store, neighbours, { force: true })), { replayed: 2, parked: 2 });
    assert.deepEqual(numbersOf(await replay(store, list, { force: true })), { replayed: 1, parked: 1 });
    assert.deepEqual(countsOf(await post(consumer, 'waitingList', METADATA)), { catalog: 1 });
    assert.deepEqual(await rowsOf('waitingList'), ROWS);
    const later = record('UPDATE', 1, { after: { ID: 3, A: 'later' } });
    assert.deepEqual(countsOf(await post(consumer, 'waitingList', later)), { applied: 1 });
    assert.deepEqual(await rowsOf('waitingList'), { ...ROWS, 3: { ID: 3, A: 'later', B: 'in 1' } });
  });
});
