import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { GoldenGateStream } from '../../../shared/config.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { classic } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const newStream = (settings?: Partial<GoldenGateStream>) => newStreamOn(store, settings);

describe('classic records', () => {
  test('in the row model show the row as it was before a delete and as it is after anything else', async () => {
    const { post, rows } = await newStream();
    const images = { ID: 1, A: 'a', B: null };
    assert.deepEqual(await post([classic('I', '1', images), classic('U', '2', { ...images, A: 'b' })]), { applied: 2 });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'b', B: null } });
    assert.deepEqual(await post(classic('D', '3', { ID: 1 })), { applied: 1 });
    assert.deepEqual(await rows(), { 1: 'deleted' });
  });

  test('tell missing columns from nulls by their helpers', async () => {
    const { post, rows } = await newStream();
    await post(classic('I', '1', { after: { ID: 1, A: 'a', B: 'b', note_isMissing: 'a column of its own' } }));
    const update = { ID: 1, ID_isMissing: false, A: null, A_isMissing: true, B: null, B_isMissing: false };
    await post(classic('U', '2', { before: null, after: update }));
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a', B: null, note_isMissing: 'a column of its own' } });
  });

  test('of a key change as delete and insert at one position are two changes', async () => {
    const { post, rows } = await newStream();
    await post(classic('I', '1', { after: { ID: 1, A: 'a' } }));
    const pair = [
      classic('D', '2', { before: { ID: 1, A: 'a' }, after: null }),
      classic('I', '2', { after: { ID: 1, A: 'z' } }),
    ];
    assert.deepEqual(await post(pair), { applied: 2 });
    assert.deepEqual(await post(pair), { duplicate: 2 });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'z' } });
  });

  test('without a position are recognised by their content, whenever they were formatted', async () => {
    const { post } = await newStream();
    const { pos: _, ...sent } = classic('I', '1', { after: { ID: 1 } });
    assert.deepEqual(await post(sent), { applied: 1 });
    assert.deepEqual(await post({ ...sent, current_ts: 'later' }), { duplicate: 1 });
  });

  test('of tables with three-part names and of names in other letters keep those', async () => {
    const { post, of } = await newStream();
    await post({ ...classic('I', '1', { after: { ID: 1 } }), table: 'CAT.SCH.TAB' });
    const [row] = await of('rows');
    assert.equal(row?.table, `goldengate/${row?.stream}/CAT.SCH.TAB`);
  });
});
