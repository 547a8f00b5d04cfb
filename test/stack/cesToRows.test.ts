import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EMPLOYEE_8, EMPLOYEE_8_DELETE, EMPLOYEE_8_INSERT, EMPLOYEE_8_UPDATE } from '../../local/samples/employee8.ts';
import { renderJson } from '../../local/samples/render.ts';
import type { SampleEvent } from '../../local/samples/sampleEvent.ts';
import type { Columns } from '../../shared/change/json.ts';
import type { ChangeDocument } from '../../shared/store/changes.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';

const TABLE = 'ces/ces/EmployeesDb.dbo.Employees';
const HIRED = { Id: 8, FirstName: 'Nikola', LastName: 'Nikolic', SignupDate: '2026-08-07T16:25:00.8833333' };
const TOKENS = {
  insert: '0000:000000B1000008A80007:00000000000000000001:2',
  update: '0000:000000B1000009300009:00000000000000000001:0',
  delete: '0000:000000B1000009700008:00000000000000000001:1',
};
const COMMON = { id: '8', table: TABLE, keys: { Id: 8 }, source: 'ces', stream: 'ces' } as const;
const TOMBSTONE = {
  ...COMMON,
  row: {},
  deleted: true,
  token: TOKENS.delete,
  base: TOKENS.delete,
  columnTokens: {},
  committedAt: '2026-08-07T16:35:42.450Z',
  ttl: 7_776_000,
};

describe('the three messages of employee 8', () => {
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack();
  });
  after(() => stack.close());

  const rowWith = (token: string) =>
    eventually(
      () => stack.rows(),
      ([row]) => row?.token === token || row?.base === token || Object.values(row?.columnTokens ?? {}).includes(token),
    );

  test('make a row, rename it and leave a tombstone, step by step', async () => {
    await stack.send([renderJson(EMPLOYEE_8_INSERT)]);
    assert.deepEqual(await rowWith(TOKENS.insert), [
      {
        ...COMMON,
        row: HIRED,
        deleted: false,
        token: TOKENS.insert,
        base: TOKENS.insert,
        columnTokens: {},
        committedAt: '2026-08-07T16:25:00.890Z',
      },
    ]);
    await stack.send([renderJson(EMPLOYEE_8_UPDATE)]);
    assert.deepEqual(await rowWith(TOKENS.update), [
      {
        ...COMMON,
        row: { ...HIRED, LastName: 'Nikolic-Smith' },
        deleted: false,
        token: TOKENS.update,
        base: TOKENS.insert,
        columnTokens: {},
        committedAt: '2026-08-07T16:30:10.123Z',
      },
    ]);
    await stack.send([renderJson(EMPLOYEE_8_DELETE)]);
    assert.deepEqual(await rowWith(TOKENS.delete), [TOMBSTONE]);
  });

  test('are kept as three changes with their LSNs', async () => {
    const changes = (await stack.documents<ChangeDocument>('changes')).sort((a, b) => (a.token < b.token ? -1 : 1));
    assert.deepEqual(
      changes.map(({ op, image, key, transaction, origin, before: old, after: current }) => {
        return { op, image, key, transaction, lsn: origin.transaction, old, current };
      }),
      [
        {
          op: 'insert',
          image: 'full',
          key: '8',
          transaction: { id: '000000B1:000008A8:0007', sequence: 1, last: null },
          lsn: lsnOf('000000B1:000008A8:0007', '000000B1:000008A8:0003', '2026-08-07T16:25:00.890Z'),
          old: null,
          current: HIRED,
        },
        {
          op: 'update',
          image: 'partial',
          key: '8',
          transaction: { id: '000000B1:00000930:0009', sequence: 1, last: null },
          lsn: lsnOf('000000B1:00000930:0009', '000000B1:00000930:0002', '2026-08-07T16:30:10.123Z'),
          old: HIRED,
          current: { ...HIRED, LastName: 'Nikolic-Smith' },
        },
        {
          op: 'delete',
          image: 'none',
          key: '8',
          transaction: { id: '000000B1:00000970:0008', sequence: 1, last: null },
          lsn: lsnOf('000000B1:00000970:0008', '000000B1:00000970:0003', '2026-08-07T16:35:42.450Z'),
          old: { ...HIRED, LastName: 'Nikolic-Smith' },
          current: null,
        },
      ],
    );
  });

  test('are counted in the status, which needs the key', async () => {
    assert.equal((await stack.get('/api/status')).status, 401);
    const status = await eventually(
      () => stack.cesStatus(),
      (numbers) => numbers?.received === 3,
    );
    assert.ok(status !== undefined);
    const { source, stream, received, applied, duplicate, stale, parked, deadLettered, gaps } = status;
    assert.deepEqual(
      { source, stream, received, applied, duplicate, stale, parked, deadLettered, gaps },
      {
        source: 'ces',
        stream: 'ces',
        received: 3,
        applied: 3,
        duplicate: 0,
        stale: 0,
        parked: 0,
        deadLettered: 0,
        gaps: 0,
      },
    );
  });
});

function lsnOf(commitlsn: string, beginlsn: string, committime: string) {
  return { commitlsn, beginlsn, sequencenumber: 1, finalevent: false, committime };
}

/** The same life under another key, with a `logicalid` of its own. */
function lifeOf(id: number): readonly SampleEvent[] {
  const withId = (row: Columns | null) => (row === null ? null : { ...row, Id: id });
  return EMPLOYEE_8.map((event) => ({
    ...event,
    table: { ...event.table, logicalPrefix: `${event.table.logicalPrefix.slice(0, -1)}${id}` },
    keys: { Id: id },
    old: withId(event.old),
    current: withId(event.current),
  }));
}

describe('the three messages in every order, each twice, on different partitions', () => {
  const ORDERS = [
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
    [2, 0, 1],
    [1, 2, 0],
    [0, 2, 1],
  ];
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack();
  });
  after(() => stack.close());

  test('end in the same tombstone and three changes', async () => {
    for (const [id, order] of ORDERS.entries()) {
      const life = lifeOf(id);
      for (const [position, index] of [...order, ...order].entries()) {
        const event = life[index];
        assert.ok(event !== undefined);
        await stack.send([renderJson(event)], String((position * 3 + index) % 4));
      }
    }
    const status = await eventually(
      () => stack.cesStatus(),
      (numbers) => numbers?.received === 6 * ORDERS.length,
    );
    assert.equal(status?.received, 6 * ORDERS.length);
    const expected = ORDERS.map((_, id) => ({ ...TOMBSTONE, id: String(id), keys: { Id: id } }));
    assert.deepEqual(await stack.rows(), expected);
    assert.equal((await stack.documents('changes')).length, 3 * ORDERS.length);
  });
});
