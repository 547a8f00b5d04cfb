import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeEnvelope } from '../../../shared/ces/envelope.ts';
import { openEnvelope } from '../../../shared/ces/reassembly.ts';
import { dataOf, eventOf, reasonOf, receive, TRANSACTION } from './receive.ts';

/** Situations that people met with real servers, and revisions of the format that are still in use somewhere. */

describe('situations met in the field', () => {
  test('an unsplit event is complete at once, whether its index is 1 or 0', () => {
    const [one, zero] = [1, 0].map((segmentindex) => receive(eventOf({ envelope: { segmentindex } })).change);
    assert.deepEqual({ ...one, origin: { ...one?.origin, segmentindex: 0 } }, zero);
  });

  test('the early form without segments and transaction is an unsplit event, and no LSN is invented', () => {
    const { change } = receive(
      eventOf({
        envelope: { segmentindex: undefined, finalsegment: undefined, splitindex: 0, splittotalcnt: 0 },
        eventsource: { transaction: undefined },
      }),
    );
    assert.equal(change.transaction, null);
    assert.equal(change.identity, 'ces/sales/0000/g:0000000A000000100001:00000000000000000001');
    assert.deepEqual(change.origin, {
      id: 'a1',
      logicalid: 'g:0000000A000000100001:00000000000000000001',
      type: 'com.microsoft.SQL.CES.DML.V1',
      time: '2026-01-02T03:04:05.007Z',
      operation: 'UPD',
      datacontenttype: 'application/json',
      splitindex: 0,
      splittotalcnt: 0,
      db: 'd',
      hub: 'ces',
      partition: '3',
      sequenceNumber: 41,
      offset: '8192',
      enqueuedTime: '2026-08-07T16:25:01.000Z',
    });
  });

  test('a server two hours ahead writes its own time into committime: the event is dated by time', () => {
    const { change } = receive(
      eventOf({
        envelope: { time: '2026-01-02T10:00:00.000Z' },
        eventsource: { transaction: { ...TRANSACTION, committime: '2026-01-02T12:00:00.000Z' } },
      }),
    );
    assert.equal(change.committedAt, '2026-01-02T10:00:00.000Z');
    assert.deepEqual(change.origin.transaction, { ...TRANSACTION, committime: '2026-01-02T12:00:00.000Z' });
  });

  test('with changed columns only, gaps in the column indexes are no error and absent columns are not null', () => {
    const cols = [
      { name: 'ProductId', type: 'int', index: 0 },
      { name: 'ItemsInStock', type: 'smallint', index: 5 },
    ];
    const pkkey = [{ columnname: 'ProductId', value: '3' }];
    const current = '{"ProductId":"3","ItemsInStock":"9"}';
    const { change, table } = receive(eventOf({ eventsource: { cols, pkkey }, current }));
    assert.deepEqual([change.image, change.after], ['partial', { ProductId: 3, ItemsInStock: 9 }]);
    assert.deepEqual(
      table.columns.map(({ index }) => index),
      [0, 5],
    );
    const added = receive(
      eventOf({
        envelope: { operation: 'INS' },
        eventsource: { cols: [...cols, { name: 'New', type: 'bit', index: 6 }], pkkey },
        current: '{"ProductId":"4","ItemsInStock":"0","New":"1"}',
      }),
    );
    assert.deepEqual([added.change.image, added.change.after], ['full', { ProductId: 4, ItemsInStock: 0, New: true }]);
  });

  test('a table without a key and with changed columns only is recorded and never tied to a row', () => {
    const eventsource = { cols: [{ name: 'ItemName', type: 'nvarchar(20)', index: 1 }], pkkey: [] };
    const update = receive(eventOf({ eventsource, current: '{"ItemName":"Stove"}' })).change;
    assert.deepEqual([update.flag, update.keys, update.after], ['no-key', null, { ItemName: 'Stove' }]);
    const del = receive(
      eventOf({ envelope: { operation: 'DEL' }, eventsource: { cols: [], pkkey: [] }, current: '{}' }),
    );
    assert.deepEqual([del.change.flag, del.change.before, del.change.after], ['no-key', null, null]);
  });

  test('a statement and the trigger that it fires are two changes of one transaction', () => {
    const changes = [1, 2].map((sequencenumber) => {
      const eventsource = {
        tbl: sequencenumber === 1 ? 'OrderDetail' : 'Product',
        transaction: { ...TRANSACTION, sequencenumber },
      };
      const logicalid = `g:0000000A000000100001:0000000000000000000${sequencenumber}`;
      return receive(eventOf({ envelope: { logicalid }, eventsource })).change;
    });
    assert.deepEqual(
      changes.map(({ table, transaction }) => [table, transaction]),
      [
        ['ces/sales/d.dbo.OrderDetail', { id: '0000000A:00000010:0001', sequence: 1, last: null }],
        ['ces/sales/d.dbo.Product', { id: '0000000A:00000010:0001', sequence: 2, last: null }],
      ],
    );
    assert.notEqual(changes[0]?.identity, changes[1]?.identity);
  });

  test('a column with a JSON document that the source cut at 1 MB is delivered and marked', () => {
    const document = `{"a":"${'x'.repeat(524_288)}`;
    const cols = [
      { name: 'Id', type: 'int' },
      { name: 'Doc', type: 'nvarchar(max)' },
    ];
    const { change } = receive(eventOf({ eventsource: { cols }, current: JSON.stringify({ Id: '7', Doc: document }) }));
    assert.equal(change.after?.Doc, document);
    assert.deepEqual(change.origin.maybeTruncated, ['Doc']);
  });

  test('old values switched off: old is empty and before is null', () => {
    const { change } = receive(eventOf({ old: '{}' }));
    assert.deepEqual([change.before, change.after], [null, { Id: 7, Qty: 1 }]);
  });

  test('a large column that old leaves out is absent from before, not null', () => {
    const { change } = receive(eventOf({ old: '{"Id":"7"}', current: '{"Id":"7","Doc":"large","Qty":null}' }));
    assert.deepEqual([change.before, change.after], [{ Id: 7 }, { Id: 7, Doc: 'large', Qty: null }]);
  });

  test('null, empty text and the word NULL are three values', () => {
    const { change } = receive(eventOf({ current: '{"Id":"7","a":null,"b":"","c":"NULL"}' }));
    assert.deepEqual(change.after, { Id: 7, a: null, b: '', c: 'NULL' });
  });
});

describe('revisions of the format', () => {
  const usual = receive(eventOf()).change;
  const same: [string, string][] = [
    [
      'datacontenttype application/avro-json on plain JSON',
      eventOf({ envelope: { datacontenttype: 'application/avro-json' } }),
    ],
    ['no datacontenttype', eventOf({ envelope: { datacontenttype: undefined } })],
    ['data printed over several lines', eventOf({ data: JSON.stringify(dataOf(), null, 2) })],
    ['data as an object', eventOf({ data: dataOf() })],
    ['images as objects', eventOf({ data: JSON.stringify(dataOf({ old: {}, current: { Id: '7', Qty: '1' } })) })],
    ['everything as objects', eventOf({ data: dataOf({ old: null, current: { Id: '7', Qty: '1' } }) })],
    ['old null', eventOf({ old: null })],
    ['old an empty text', eventOf({ old: '' })],
    ['old absent', eventOf({ old: undefined })],
    ['type in another case of letters', eventOf({ envelope: { type: 'com.microsoft.sql.ces.dml.v1' } })],
    ['version 2 in the shape of version 1', eventOf({ envelope: { type: 'com.microsoft.SQL.CES.DML.V2' } })],
    ['members that nobody knows', eventOf({ envelope: { traceparent: 'x', partitionkey: 5 } })],
    ['no segmentindex, no splitindex', eventOf({ envelope: { segmentindex: undefined, finalsegment: undefined } })],
  ];
  for (const [name, body] of same) {
    test(`${name} changes nothing but the label`, () => {
      const { origin: _, ...change } = receive(body).change;
      const { origin: __, ...expected } = usual;
      assert.deepEqual(change, expected);
    });
  }

  test('transaction without finalevent', () => {
    const { finalevent: _, ...transaction } = TRANSACTION;
    const { change } = receive(eventOf({ eventsource: { transaction } }));
    assert.deepEqual([change.token, change.origin.transaction], [usual.token, transaction]);
  });

  test('types without length, in capitals', () => {
    const cols = [
      { name: 'Id', type: 'INT', index: 0 },
      { name: 'Qty', type: 'VARCHAR', index: 1 },
    ];
    assert.deepEqual(receive(eventOf({ eventsource: { cols } })).change.after, { Id: 7, Qty: '1' });
  });

  test('columns without a type stay as sent', () => {
    const cols = [{ name: 'Id' }, { name: 'Qty', type: null }];
    assert.deepEqual(receive(eventOf({ eventsource: { cols } })).change.after, { Id: '7', Qty: '1' });
  });

  test('a later version in another shape is an unsupported type, a first version in it is a bad event', () => {
    const shapes = [
      eventOf({ data: '{"rows":[]}' }),
      eventOf({ data: 'not JSON' }),
      eventOf({ eventsource: { cols: [7] } }),
    ];
    assert.deepEqual(
      shapes.map((body) => reasonOf(() => receive(body))),
      ['invalid-envelope', 'undecodable', 'invalid-envelope'],
    );
    for (const body of shapes) {
      assert.equal(
        reasonOf(() => receive(body.replace('DML.V1', 'DML.V2'))),
        'unsupported-type',
      );
    }
  });
});

describe('data that is no Data record', () => {
  const cases: [string, string, string][] = [
    ['text that does not parse', 'undecodable', eventOf({ data: '{"eventsource":' })],
    ['an empty text', 'undecodable', eventOf({ data: '' })],
    ['a list', 'invalid-envelope', eventOf({ data: '[]' })],
    ['no eventsource', 'invalid-envelope', eventOf({ data: '{"eventrow":{}}' })],
    ['no eventrow', 'invalid-envelope', eventOf({ data: JSON.stringify({ ...dataOf(), eventrow: undefined }) })],
    ['no table', 'invalid-envelope', eventOf({ eventsource: { tbl: undefined } })],
    ['an empty database name', 'invalid-envelope', eventOf({ eventsource: { db: '' } })],
    ['columns that are no list', 'invalid-envelope', eventOf({ eventsource: { cols: {} } })],
    ['an image that does not parse', 'undecodable', eventOf({ current: '{"Id":' })],
    ['an image that is a list', 'undecodable', eventOf({ current: '[1]' })],
    ['an image that is a number', 'invalid-envelope', eventOf({ current: 5 })],
    ['an INS without a row', 'invalid-envelope', eventOf({ envelope: { operation: 'INS' }, current: '{}' })],
  ];
  for (const [name, reason, body] of cases) {
    test(`${name}: ${reason}`, () =>
      assert.equal(
        reasonOf(() => receive(body)),
        reason,
      ));
  }

  test('a last segment of index 1 without a whole record is a segment, not a bad event', () => {
    const body = eventOf({ envelope: { segmentindex: 1 }, data: 'rest"}}' });
    const { segment } = openEnvelope(decodeEnvelope(Buffer.from(body)));
    assert.deepEqual(
      [segment?.index, segment?.final, Buffer.from(segment?.bytes ?? []).toString()],
      [1, true, 'rest"}}'],
    );
  });
});
