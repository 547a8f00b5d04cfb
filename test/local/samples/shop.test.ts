import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderAvro, renderJson } from '../../../local/samples/render.ts';
import { logicalIdOf } from '../../../local/samples/sampleEvent.ts';
import { shopEvents } from '../../../local/samples/shop.ts';
import { type ModelRow, ShopModel } from '../../../local/samples/shopModel.ts';
import { receive, STREAM } from '../../shared/ces/receive.ts';

const CHANGES = 3_000;
const events = [...shopEvents({ seed: 7, changes: CHANGES })];

test('one seed gives one history, another seed another', () => {
  assert.deepEqual([...shopEvents({ seed: 7, changes: 50 })], events.slice(0, 50));
  assert.notDeepEqual([...shopEvents({ seed: 8, changes: 50 })], events.slice(0, 50));
});

test('any number of changes is made lazily', () => {
  const endless = shopEvents({ seed: 1, changes: Number.POSITIVE_INFINITY });
  assert.equal(endless.next().done, false);
  endless.return(undefined);
  assert.equal(events.length, CHANGES);
});

test('the log only grows, no two events are one, and several tables change in one transaction', () => {
  const places = events.map(
    ({ commitLsn, sequenceNumber }) => `${commitLsn}/${String(sequenceNumber).padStart(9, '0')}`,
  );
  assert.deepEqual(places.toSorted(), places);
  assert.equal(new Set(events.map(logicalIdOf)).size, CHANGES);
  assert.equal(new Set(events.map(({ id }) => id)).size, CHANGES);
  const times = events.map(({ time }) => time);
  assert.deepEqual(times.toSorted(), times);
  assert.ok(times.every((time) => /[037]Z$/.test(time)));
  const transactions = Map.groupBy(events, ({ commitLsn }) => commitLsn);
  assert.ok([...transactions.values()].some((changes) => new Set(changes.map(({ table }) => table.tbl)).size === 3));
});

test('every kind of operation happens to every table that has it, and dropped products come back', () => {
  const kinds = new Set(events.map(({ table, operation }) => `${table.tbl} ${operation}`));
  assert.deepEqual([...kinds].sort(), [
    'Customers INS',
    'Customers UPD',
    'OrderLines DEL',
    'OrderLines INS',
    'Orders DEL',
    'Orders INS',
    'Orders UPD',
    'Products DEL',
    'Products INS',
    'Products UPD',
  ]);
  const inserted = events.filter(({ table, operation }) => table.tbl === 'Products' && operation === 'INS');
  assert.ok(new Set(inserted.map(({ keys }) => keys.Sku)).size < inserted.length);
});

test('the model is what the changes add up to when they are read from the wire in commit order', () => {
  const model = new ShopModel(STREAM.stream);
  const rows = new Map<string, Map<string, ModelRow>>();
  for (const [at, event] of events.entries()) {
    model.apply(event);
    const { change } = receive(at % 2 === 0 ? renderJson(event) : renderAvro(event));
    assert.deepEqual([change.origin.valueErrors, change.keys, change.movedFrom], [undefined, event.keys, undefined]);
    const table = rows.get(change.table) ?? new Map<string, ModelRow>();
    rows.set(change.table, table);
    const before = change.op === 'insert' ? {} : table.get(change.key)?.row;
    const isDelete = change.op === 'delete';
    table.set(
      change.key,
      isDelete ? { row: {}, deleted: true } : { row: { ...before, ...change.after }, deleted: false },
    );
  }
  assert.deepEqual(rows, model.rows);
  assert.ok([...model.rows.values()].every((table) => table.size > 20));
});
