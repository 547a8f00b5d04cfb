import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EMPLOYEE_8, EMPLOYEE_8_UPDATE } from '../../../local/samples/employee8.ts';
import { renderAvro, renderJson } from '../../../local/samples/render.ts';
import { decodeEnvelope } from '../../../shared/ces/envelope.ts';
import { CesNormaliser } from '../../../shared/ces/normalise.ts';
import { openEnvelope } from '../../../shared/ces/reassembly.ts';
import { DELIVERY, eventOf, reasonOf, receive, STREAM, TRANSACTION } from './receive.ts';

test('the update of employee 8 becomes a change that says everything the event said', () => {
  const { change, table } = receive(renderJson(EMPLOYEE_8_UPDATE));
  assert.deepEqual(change, {
    source: 'ces',
    stream: 'sales',
    table: 'ces/sales/EmployeesDb.dbo.Employees',
    identity: 'ces/sales/0000/1bf2756a-c15f-4d2e-a2d5-7d3f9dbf85b0:000000B1000009300009:00000000000000000001',
    op: 'update',
    image: 'partial',
    keys: { Id: 8 },
    key: '8',
    before: { Id: 8, FirstName: 'Nikola', LastName: 'Nikolic', SignupDate: '2026-08-07T16:25:00.8833333' },
    after: { Id: 8, FirstName: 'Nikola', LastName: 'Nikolic-Smith', SignupDate: '2026-08-07T16:25:00.8833333' },
    token: '0000:000000B1000009300009:00000000000000000001:0',
    committedAt: '2026-08-07T16:30:10.123Z',
    transaction: { id: '000000B1:00000930:0009', sequence: 1, last: null },
    origin: {
      id: '19221db1-a1b5-4ec7-8937-3fdf9d762abb',
      logicalid: '1bf2756a-c15f-4d2e-a2d5-7d3f9dbf85b0:000000B1000009300009:00000000000000000001',
      type: 'com.microsoft.SQL.CES.DML.V1',
      time: '2026-08-07T16:30:10.123Z',
      operation: 'UPD',
      datacontenttype: 'application/json',
      segmentindex: 0,
      finalsegment: true,
      db: 'EmployeesDb',
      transaction: {
        commitlsn: '000000B1:00000930:0009',
        beginlsn: '000000B1:00000930:0002',
        sequencenumber: 1,
        finalevent: false,
        committime: '2026-08-07T16:30:10.123Z',
      },
      hub: 'ces',
      partition: '3',
      sequenceNumber: 41,
      offset: '8192',
      enqueuedTime: '2026-08-07T16:25:01.000Z',
    },
  });
  assert.deepEqual(table, {
    table: 'ces/sales/EmployeesDb.dbo.Employees',
    columns: [
      { name: 'Id', type: 'int', index: 0 },
      { name: 'FirstName', type: 'nvarchar(50)', index: 1 },
      { name: 'LastName', type: 'nvarchar(50)', index: 2 },
      { name: 'SignupDate', type: 'datetime2(7)', index: 3 },
    ],
    key: ['Id'],
  });
});

test('inserts carry a full image and no before, deletes no after', () => {
  const [insert, , del] = EMPLOYEE_8.map((event) => receive(renderJson(event)).change);
  assert.deepEqual([insert?.op, insert?.image, insert?.before], ['insert', 'full', null]);
  assert.deepEqual([del?.op, del?.image, del?.after, del?.before?.LastName], ['delete', 'none', null, 'Nikolic-Smith']);
  assert.deepEqual([insert?.token.at(-1), del?.token.at(-1)], ['2', '1']);
});

test('the Avro twin of each seed message gives the same change and table, field by field', () => {
  for (const event of EMPLOYEE_8) assert.deepEqual(receive(renderAvro(event)), receive(renderJson(event)));
});

test('equal shapes of a table are told as one object, other shapes as others', () => {
  const normaliser = new CesNormaliser(STREAM);
  const tableOf = (body: string) => {
    const envelope = decodeEnvelope(Buffer.from(body));
    const { payload } = openEnvelope(envelope);
    assert.ok(payload !== undefined);
    return normaliser.normalise(envelope.attributes, payload, DELIVERY).table;
  };
  const wider = eventOf({
    eventsource: {
      cols: [
        { name: 'Id', type: 'int' },
        { name: 'New', type: 'bit', index: 9 },
      ],
    },
  });
  const first = tableOf(eventOf());
  assert.notEqual(tableOf(wider), first);
  assert.equal(tableOf(eventOf({ envelope: { operation: 'INS' } })), first);
  assert.deepEqual(tableOf(wider).columns, [
    { name: 'Id', type: 'int', index: null },
    { name: 'New', type: 'bit', index: 9 },
  ]);
});

describe('keys', () => {
  const keyed = (old: string, current: string, value: unknown = '7') =>
    receive(eventOf({ old, current, eventsource: { pkkey: [{ columnname: 'Id', value }] } })).change;

  test('an update whose images differ in the key moves the row, whichever of the two pkkey holds', () => {
    for (const value of ['7', '9']) {
      const change = keyed('{"Id":"7","Qty":"1"}', '{"Id":"9","Qty":"1"}', value);
      assert.deepEqual([change.key, change.keys, change.movedFrom], ['9', { Id: 9 }, { key: '7', keys: { Id: 7 } }]);
    }
  });

  test('an update without old values moves the row when pkkey still holds the old key', () => {
    assert.deepEqual(keyed('{}', '{"Id":"9"}').movedFrom, { key: '7', keys: { Id: 7 } });
    assert.equal(keyed('{}', '{"Id":"9"}', '9').movedFrom, undefined);
  });

  test('one key written two ways is no move', () => {
    const change = keyed('{"Id":"007"}', '{"Id":7}', '+7');
    assert.deepEqual([change.key, change.keys, change.movedFrom], ['7', { Id: 7 }, undefined]);
  });

  test('images that lack the key get it from pkkey', () => {
    const change = keyed('{"Qty":"2"}', '{"Qty":"1"}');
    assert.deepEqual(
      [change.before, change.after],
      [
        { Qty: 2, Id: 7 },
        { Qty: 1, Id: 7 },
      ],
    );
  });

  test('a delete without old values has a key and no before', () => {
    const { change } = receive(eventOf({ envelope: { operation: 'DEL' }, old: '{}', current: '{}' }));
    assert.deepEqual([change.key, change.keys, change.before, change.after], ['7', { Id: 7 }, null, null]);
  });

  test('several key columns keep the order of pkkey', () => {
    const pkkey = [
      { columnname: 'B', value: 'x,y' },
      { columnname: 'Id', value: '1' },
    ];
    const { change, table } = receive(eventOf({ eventsource: { pkkey }, current: '{}' }));
    assert.deepEqual([change.key, change.keys, table.key], ['x%2Cy,1', { B: 'x,y', Id: 1 }, ['B', 'Id']]);
  });

  test('a number in pkkey that a double cannot hold is not rounded', () => {
    const eventsource = { cols: [{ name: 'Id', type: 'bigint' }], pkkey: [{ columnname: 'Id', value: 'KEY' }] };
    const body = eventOf({ eventsource, current: '{}' }).replace('\\"KEY\\"', '9007199254740993');
    assert.deepEqual(receive(body).change.keys, { Id: '9007199254740993' });
  });

  test('a table without a key is recorded under its identity and flagged', () => {
    for (const pkkey of [[], null, undefined]) {
      const { change } = receive(eventOf({ eventsource: { pkkey } }));
      assert.deepEqual([change.keys, change.flag, change.after], [null, 'no-key', { Id: 7, Qty: 1 }]);
      assert.match(change.key, /^-[0-9a-f]{2}$/);
    }
  });

  test('a key that nobody has a value for, or is named twice, or not named, is refused', () => {
    for (const pkkey of [
      [{ columnname: 'Other' }],
      [
        { columnname: 'Id', value: '1' },
        { columnname: 'Id', value: '1' },
      ],
      [{ value: '1' }],
      'Id',
      [7],
    ]) {
      assert.equal(
        reasonOf(() => receive(eventOf({ eventsource: { pkkey } }))),
        'invalid-envelope',
      );
    }
  });
});

describe('order', () => {
  const tokenOf = (transaction: unknown, logicalid?: string) =>
    receive(eventOf({ eventsource: { transaction }, ...(logicalid === undefined ? {} : { envelope: { logicalid } }) }))
      .change.token;

  test('tokens sort by commit LSN, then sequence number', () => {
    const tokens = [
      { commitlsn: '0000000A:00000010:0001', sequencenumber: 2 },
      { commitlsn: '0000000A:00000010:0001', sequencenumber: 10 },
      { commitlsn: '0000000a:00000010:000a', sequencenumber: 1 },
      { commitlsn: '0000000A:00000011:0001', sequencenumber: '1' },
      { commitlsn: '00000010:00000000:0000', sequencenumber: 0 },
    ].map((transaction) => tokenOf(transaction));
    assert.deepEqual(tokens.toSorted(), tokens);
  });

  test('a transaction that cannot be used gives way to the tail of logicalid', () => {
    const expected = '0000:0000000A000000100001:00000000000000000001:0';
    for (const transaction of [
      undefined,
      null,
      {},
      { commitlsn: 'x', sequencenumber: 1 },
      { ...TRANSACTION, sequencenumber: -1 },
    ]) {
      assert.equal(tokenOf(transaction), expected);
    }
    assert.equal(receive(eventOf({ eventsource: { transaction: undefined } })).change.transaction, null);
  });

  test('an event that says nothing about order is refused', () => {
    assert.equal(
      reasonOf(() => tokenOf(undefined, 'just-a-name')),
      'no-order',
    );
  });

  test('the epoch follows the enqueued time', () => {
    const stream = {
      ...STREAM,
      epochs: [
        { from: '2026-09-01T00:00:00Z', epoch: 12 },
        { from: null, epoch: 0 },
      ],
    };
    const epochAt = (enqueuedAt: string | null) => {
      const { token, identity } = receive(eventOf(), stream, { ...DELIVERY, enqueuedAt }).change;
      return [token.slice(0, 5), identity.slice(0, 15)];
    };
    assert.deepEqual(epochAt('2026-08-31T23:59:59.999Z'), ['0000:', 'ces/sales/0000/']);
    assert.deepEqual(epochAt('2026-09-01T00:00:00.000Z'), ['0012:', 'ces/sales/0012/']);
    assert.deepEqual(epochAt(null), ['0012:', 'ces/sales/0012/']);
  });
});

test('tables whose names only differ in where a part ends are two tables', () => {
  const normaliser = new CesNormaliser(STREAM);
  const tables = [
    { db: 'ab', schema: 'c', tbl: 'T' },
    { db: 'a', schema: 'bc', tbl: 'T' },
    { db: 'ab', schema: 'c', tbl: 'T' },
  ].map((eventsource) => {
    const envelope = decodeEnvelope(Buffer.from(eventOf({ eventsource })));
    const { payload } = openEnvelope(envelope);
    assert.ok(payload !== undefined);
    return normaliser.normalise(envelope.attributes, payload, DELIVERY).change.table;
  });
  assert.deepEqual(tables, ['ces/sales/ab.c.T', 'ces/sales/a.bc.T', 'ces/sales/ab.c.T']);
});

test('a renamed database keeps its tables', () => {
  const stream = { ...STREAM, databases: { d: 'Old' } };
  const { change } = receive(eventOf(), stream);
  assert.deepEqual([change.table, change.origin.db], ['ces/sales/Old.dbo.T', 'd']);
  assert.equal(
    receive(eventOf({ eventsource: { db: '__proto__' } }), stream).change.table,
    'ces/sales/__proto__.dbo.T',
  );
});

test('the commit time is UTC whatever zone the envelope writes', () => {
  const committedAt = (time: unknown) => receive(eventOf({ envelope: { time } })).change.committedAt;
  assert.equal(committedAt('2026-01-02T05:04:05.1234567+02:00'), '2026-01-02T03:04:05.1234567Z');
  assert.equal(committedAt('2026-01-02T03:04:05Z'), '2026-01-02T03:04:05.000Z');
  assert.equal(committedAt('yesterday'), null);
  assert.equal(committedAt(undefined), null);
});

test('an operation that nobody knows is refused', () => {
  for (const operation of ['Aggiornamento', 'ins', 'MRG', '']) {
    assert.equal(
      reasonOf(() => receive(eventOf({ envelope: { operation } }))),
      'unknown-operation',
    );
  }
});

test('a value that is not of its type stays as sent and its column is named', () => {
  const { change } = receive(eventOf({ old: '{"Id":"7","Qty":"many"}', current: '{"Id":"7","Qty":"lots"}' }));
  assert.deepEqual([change.before?.Qty, change.after?.Qty, change.origin.valueErrors], ['many', 'lots', ['Qty']]);
});

describe('values that the source may have cut', () => {
  const cols = [
    { name: 'Id', type: 'int' },
    { name: 'V', type: 'varchar(max)' },
    { name: 'N', type: 'nvarchar(max)' },
  ];
  const cases: [string, string, string, boolean][] = [
    ['1 MB of ASCII', 'V', 'x'.repeat(1_048_576), true],
    ['a little less', 'V', 'x'.repeat(1_048_570), false],
    ['1 MB in UTF-8', 'V', 'é'.repeat(524_288), true],
    ['one character short of 1 MB, since its next has four bytes', 'V', `${'😀'.repeat(262_143)}x`, true],
    ['512 K characters of a type with two bytes each', 'N', 'x'.repeat(524_288), true],
    ['a few less of those', 'N', 'x'.repeat(524_280), false],
  ];
  for (const [name, column, value, isNamed] of cases) {
    test(`${name}: ${isNamed ? 'named' : 'not named'}`, () => {
      const { change } = receive(
        eventOf({ eventsource: { cols }, current: JSON.stringify({ Id: '7', [column]: value }) }),
      );
      assert.equal(change.after?.[column], value);
      assert.deepEqual(change.origin.maybeTruncated, isNamed ? [column] : undefined);
    });
  }
});

describe('rows with values as JSON numbers', () => {
  test('a decimal keeps its digits, wherever the numbers are', () => {
    const cols = [
      { name: 'Id', type: 'int' },
      { name: 'D', type: 'decimal(9,2)' },
      { name: 'B', type: 'bigint' },
      { name: 'F', type: 'float' },
    ];
    const row = '{"Id":7,"D":12.50,"B":9007199254740993,"F":0.5}';
    const expected = { Id: 7, D: '12.50', B: '9007199254740993', F: 0.5 };
    const inText = receive(eventOf({ eventsource: { cols }, current: row }));
    const marked = eventOf({ eventsource: { cols }, current: 'ROW' });
    const inData = receive(marked.replace('\\"ROW\\"', row.replaceAll('"', '\\"')));
    const envelope = JSON.parse(marked);
    const asObject = JSON.stringify({ ...envelope, data: JSON.parse(envelope.data) });
    const inEnvelope = receive(asObject.replace('"ROW"', row));
    for (const { change } of [inText, inData, inEnvelope]) {
      assert.deepEqual([change.after, change.origin.valueErrors], [expected, undefined]);
    }
  });
});
