import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { classic, cloudEvent, METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

describe('a classic record', () => {
  test('of another table is another, at the same position and with the same operation', async () => {
    const { post, of } = await newStreamOn(store);
    const sent = ['S.T', 'S.U'].map((table) => ({ ...classic('I', '7', { after: { ID: 1 } }), table }));
    assert.deepEqual(await post(sent), { applied: 2 });
    assert.deepEqual(await post(sent), { duplicate: 2 });
    const changes = await of('changes');
    assert.equal(new Set(changes.map(({ id }) => id)).size, 2);
  });

  test('is the same again whenever it was formatted', async () => {
    const { post } = await newStreamOn(store);
    const sent = classic('I', '7', { after: { ID: 1 } });
    assert.deepEqual(await post(sent), { applied: 1 });
    assert.deepEqual(await post({ ...sent, current_ts: '2027-01-01T00:00:00.000000' }), { duplicate: 1 });
  });

  test('of another time is another at the same position, which a new trail begins again', async () => {
    const sent = (op: string, day: number, images: object) => ({
      ...classic(op, '1440', images),
      op_ts: `2026-11-0${day} 00:00:00.000000`,
    });
    const layouts = [(A: string) => ({ before: { ID: 1 }, after: { ID: 1, A } }), (A: string) => ({ ID: 1, A })];
    for (const order of ['op_ts', 'arrival'] as const) {
      for (const images of layouts) {
        const { post, rows } = await newStreamOn(store, { order });
        assert.deepEqual(await post(sent('U', 1, images('one'))), { applied: 1 });
        assert.deepEqual(await post(sent('U', 2, images('two'))), { applied: 1 });
        assert.deepEqual(await post([sent('U', 1, images('one')), sent('U', 2, images('two'))]), { duplicate: 2 });
        assert.deepEqual(await rows(), { 1: { ID: 1, A: 'two' } });
      }
    }
    const { post, of } = await newStreamOn(store);
    assert.deepEqual(await post([sent('T', 1, {}), sent('T', 2, {})]), { ignored: 2 });
    assert.deepEqual(await post([sent('T', 1, {}), sent('T', 2, {})]), { duplicate: 2 });
    assert.equal((await of('changes')).length, 2);
  });

  test('without a time, as a stream ordered by arrival may send it, is told by its position', async () => {
    const { post } = await newStreamOn(store, { order: 'arrival' });
    const { op_ts: _, ...sent } = classic('I', '7', { after: { ID: 1 } });
    assert.deepEqual(await post(sent), { applied: 1 });
    assert.deepEqual(await post(sent), { duplicate: 1 });
    assert.deepEqual(await post({ ...sent, pos: '8' }), { applied: 1 });
  });
});

describe('a record of a Data Stream', () => {
  test('that deletes is another than the one that inserts at its position', async () => {
    const { post, rows, of } = await newStreamOn(store);
    await post([METADATA, record('INSERT', 1, { after: { ID: 1, A: 'a' } })]);
    const { pos } = record('UPDATE', 2, {});
    const pair = [
      { ...record('DELETE', 2, { before: { ID: 1, A: 'a' } }), pos },
      { ...record('INSERT', 2, { after: { ID: 1, B: 'b' } }), pos },
    ];
    assert.deepEqual(await post(pair), { applied: 2 });
    assert.deepEqual(await post(pair), { duplicate: 2 });
    assert.deepEqual(await rows(), { 1: { ID: 1, B: 'b' } });
    assert.equal((await of('changes')).length, 3);
  });

  test('is the same again whenever it was formatted, and under whatever id a CloudEvent brings it', async () => {
    const { post, of } = await newStreamOn(store);
    const sent = { ...record('INSERT', 1, { after: { ID: 1 } }), current_ts: '2026-01-01T00:00:02.000000Z' };
    const later = { ...sent, current_ts: '2026-01-01T00:09:00.000000Z' };
    await post(METADATA);
    assert.deepEqual(await post(cloudEvent('OGG-46', sent)), { applied: 1 });
    assert.deepEqual(await post(cloudEvent('OGG-1', later)), { duplicate: 1 });
    assert.deepEqual(await post(later), { duplicate: 1 });
    assert.deepEqual(await post(later, { 'ce-specversion': '1.0', 'ce-id': 'OGG-2' }), { duplicate: 1 });
    assert.equal((await of('changes')).length, 1);
  });

  test('is the same again at its position, whatever its time', async () => {
    const { post, rows } = await newStreamOn(store);
    const sent = record('INSERT', 1, { after: { ID: 1, A: 'a' } });
    await post(METADATA);
    assert.deepEqual(await post(sent), { applied: 1 });
    assert.deepEqual(await post({ ...sent, op_ts: '2026-01-02T00:00:00.000000Z' }), { duplicate: 1 });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a' } });
  });

  test('at another position is another, with the same content and the same id of its CloudEvent', async () => {
    const { post } = await newStreamOn(store);
    const sent = record('INSERT', 1, { after: { ID: 1 } });
    await post(METADATA);
    assert.deepEqual(await post(cloudEvent('OGG-1', sent)), { applied: 1 });
    assert.deepEqual(await post(cloudEvent('OGG-1', { ...sent, pos: `${sent.pos}0` })), { applied: 1 });
  });
});
