import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ValuePointer } from '../../../shared/change/largeValue.ts';
import { loseAllValues } from '../loseAllValues.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { instanceOn, post } from './consumerOn.ts';
import { newStreamOn } from './newStream.ts';
import { METADATA, record } from './records.ts';

/** Two images of this do not fit into a document of 2 MB, one does. */
const LARGE = 'b'.repeat(1_050_000);
/** No death comes later. */
const MANY_WRITES = 40;

let store: TestStore;
before(async () => {
  store = await startTestStore({ blobs: true });
});
after(() => store.close());

describe('a change that is larger than its row', () => {
  test('leaves the row as it is when it comes again', async () => {
    const { post: send, rows } = await newStreamOn(store);
    const update = record('UPDATE', 1, { before: { ID: 1, A: LARGE }, after: { ID: 1, A: `${LARGE}2` } });
    assert.deepEqual(await send([METADATA, update]), { catalog: 1, applied: 1 });
    assert.deepEqual(await send(update), { duplicate: 1 });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: `${LARGE}2` } });
  });

  test('that moves a row twice in one transaction ends the same at whatever write the process dies', async () => {
    const body = [
      METADATA,
      record('INSERT', 1, { after: { ID: 1, A: LARGE } }),
      record('UPDATE', 2, { before: { ID: 1, A: LARGE }, after: { ID: 2, A: `${LARGE}2` } }),
      record('UPDATE', 2, { before: { ID: 2, A: `${LARGE}2` }, after: { ID: 5, A: `${LARGE}2` } }),
    ];
    for (let write = 0, isDead = true; isDead && write < MANY_WRITES; write += 2) {
      const { stream, post: send, rows } = await newStreamOn(store);
      const { consumer } = await instanceOn(store, stream);
      store.proxy.arm(write, 'after');
      isDead = (await post(consumer, stream, body)).status !== 200;
      store.proxy.disarm();
      await send(body);
      assert.deepEqual([write, await rows()], [write, { 1: 'deleted', 2: 'deleted', 5: { ID: 5, A: `${LARGE}2` } }]);
    }
  });

  test('compares with a value that its row keeps elsewhere', async () => {
    const { post: send, of } = await newStreamOn(store);
    const huge = 'c'.repeat(2_100_000);
    await send([
      METADATA,
      record('INSERT', 1, { after: { ID: 1, A: huge } }),
      record('UPDATE', 2, { before: { ID: 1, A: huge }, after: { ID: 2, A: huge } }),
      record('UPDATE', 2, { before: { ID: 2, A: huge }, after: { ID: 3, A: huge } }),
    ]);
    const rows = (await of('rows')).map(({ id, deleted, row }) => {
      return [id, deleted ? 'deleted' : ((row as { A: ValuePointer }).A.bytes ?? null)];
    });
    assert.deepEqual(Object.fromEntries(rows), { 1: 'deleted', 2: 'deleted', 3: huge.length });
  });

  test('takes along a value that its row keeps elsewhere when rows move over each other', async () => {
    const { stream, post: send } = await newStreamOn(store);
    const [first, second] = ['d'.repeat(2_100_000), 'e'.repeat(2_100_000)];
    await send([
      METADATA,
      record('INSERT', 1, { after: { ID: 1, A: first, B: 'one' } }),
      record('INSERT', 1, { after: { ID: 2, A: second, B: 'two' } }),
      record('UPDATE', 2, { before: { ID: 1, B: 'one' }, after: { ID: 2 } }),
      record('UPDATE', 2, { before: { ID: 2, B: 'two' }, after: { ID: 3 } }),
    ]);
    const { tables } = await store.open();
    const rows = await Promise.all(['2', '3'].map((id) => tables.row(`goldengate/${stream}/S.T`, id)));
    const expected = [
      { ID: 2, A: first, B: 'one' },
      { ID: 3, A: second, B: 'two' },
    ];
    assert.deepEqual(
      rows.map((each) => each?.row),
      expected,
    );
  });

  test('stops no sender when it comes again though its values are gone, and takes nothing from its row', async () => {
    const { stream, post: send, rows } = await newStreamOn(store);
    const half = 'h'.repeat(1_050_000);
    const update = record('UPDATE', 1, { before: { ID: 1, A: half }, after: { ID: 1, A: `${half}2` } });
    const insert = record('INSERT', 1, { after: { ID: 2, A: half.repeat(2) } });
    const move = record('UPDATE', 2, { before: { ID: 2 }, after: { ID: 3 } });
    const body = [METADATA, update, insert, move];
    assert.deepEqual(await send(body), { catalog: 1, applied: 3 });
    const before = await rows();
    await loseAllValues(store);
    assert.deepEqual(await send(body), { catalog: 1, duplicate: 3 });
    const { consumer } = await instanceOn(store, stream);
    assert.equal((await post(consumer, stream, move)).status, 200);
    assert.deepEqual(await rows(), before);
    assert.deepEqual((before[1] as { readonly A: string }).A, `${half}2`);
    const row = await (await store.open()).tables.row(`goldengate/${stream}/S.T`, '3');
    assert.deepEqual(row?.largeValues, [['row', 'A']]);
  });
});
