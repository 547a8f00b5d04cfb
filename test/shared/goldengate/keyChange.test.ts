import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

/** Metadata of a table of these columns, those of the key with a `*`. */
function columns(names: string, qual_table = 'S.T') {
  const described = names.split(' ').map((name) => {
    const key = name.startsWith('*');
    return [name.replace('*', ''), { type: 'number', null: !key, key }];
  });
  return { ...METADATA, qual_table, columns: Object.fromEntries(described) };
}

const DDL = { op_type: 'DDL', op_ts: '2026-01-01T00:00:10Z', xid: '1', ddl: { object: { schema: 'S', object: 'T' } } };

/** A row that goes, one that moves by its old key, and one that stays, with the columns of before the change of the key. */
const life = (rest: object) => [
  record('INSERT', 1, { after: { ID: 1, A: 1, ...rest } }),
  record('INSERT', 1, { after: { ID: 2, A: 2, ...rest } }),
  record('INSERT', 1, { after: { ID: 3, A: 3, ...rest } }),
  record('DELETE', 2, { before: { ID: 1 } }),
  record('UPDATE', 2, { before: { ID: 3, A: 3, ...rest }, after: { ID: 4, A: 4, ...rest } }),
];

interface KeyChange {
  readonly name: string;
  /** What came before the frame. */
  readonly first: readonly object[];
  readonly frame: readonly object[];
}

/** Frames in which the key of a table changes. */
const keyChanges = (): readonly KeyChange[] => [
  {
    name: 'gets a column more',
    first: [columns('*ID T A')],
    frame: [...life({ T: 5 }), DDL, columns('*ID *T A'), record('INSERT', 11, { after: { ID: 9, T: 9, A: 9 } })],
  },
  {
    name: 'gets a column that the table did not have',
    first: [columns('*ID A')],
    frame: [...life({}), DDL, columns('*ID *T A'), record('INSERT', 11, { after: { ID: 9, T: 9, A: 9 } })],
  },
  {
    name: 'loses a column',
    first: [columns('*ID *A')],
    frame: [
      record('INSERT', 1, { after: { ID: 1, A: 1 } }),
      record('DELETE', 2, { before: { ID: 1, A: 1 } }),
      DDL,
      columns('*ID A'),
      record('INSERT', 11, { after: { ID: 9, A: 9 } }),
    ],
  },
  {
    name: 'is renamed',
    first: [columns('*ID A')],
    frame: [...life({}), DDL, columns('*NR A'), record('UPDATE', 11, { before: { NR: 2 }, after: { NR: 2, A: 9 } })],
  },
  {
    name: 'becomes another column',
    first: [columns('*ID CODE A')],
    frame: [...life({ CODE: 7 }), DDL, columns('ID *CODE A'), record('INSERT', 11, { after: { CODE: 9, ID: 9 } })],
  },
  {
    name: 'changes twice, back to what it was',
    first: [columns('*ID T A')],
    frame: [
      ...life({ T: 5 }),
      columns('*ID *T A'),
      record('INSERT', 3, { after: { ID: 8, T: 8, A: 8 } }),
      record('DELETE', 4, { before: { ID: 8, T: 8 } }),
      columns('*T ID A'),
      record('DELETE', 5, { before: { T: 8 } }),
      columns('*ID T A'),
      record('INSERT', 11, { after: { ID: 9, T: 9, A: 9 } }),
    ],
  },
  {
    name: 'is there no more',
    first: [columns('*ID A')],
    frame: [...life({}), DDL, columns('ID A')],
  },
  {
    name: 'changes after records that had waited for it',
    first: [],
    frame: [...life({ T: 5 }), columns('*ID T A'), columns('*ID *T A')],
  },
];

describe('a frame that is delivered again after the key of its table has changed in it', () => {
  for (const { name, first, frame } of keyChanges()) {
    test(`changes nothing: the key ${name}`, async () => {
      const { stream, post, rows } = await newStreamOn(store);
      const of = async (container: 'rows' | 'changes' | 'parked' | 'deadletters') =>
        (await store.documents(container)).filter((each) => each.stream === stream);
      const content = async () => [await of('rows'), await of('changes'), await of('parked'), await of('deadletters')];
      if (first.length > 0) await post(first);
      const { deadLettered } = await post(frame);
      assert.equal(deadLettered, undefined);
      const expected = await content();
      assert.equal(Object.values(await rows()).filter((row) => row === 'deleted').length > 0, true);
      const metadata = frame.filter((each) => 'columns' in each).length;
      const again = { duplicate: frame.length - metadata, catalog: metadata };
      assert.deepEqual(await post(frame), again);
      assert.deepEqual(await content(), expected);
      // Its records alone, as from a relay that begins in the middle.
      const records = frame.filter((each) => !('columns' in each));
      assert.deepEqual(await post(records), { duplicate: records.length });
      for (const each of records) assert.deepEqual(await post(each), { duplicate: 1 });
      assert.deepEqual(await content(), expected);
    });
  }
});

describe('a table whose key has changed', () => {
  test('has its records read by the newest key, those too that were done before and never came', async () => {
    const { post, rows } = await newStreamOn(store);
    await post([columns('*ID T A'), ...life({ T: 5 }), columns('*ID *T A')]);
    const late = record('INSERT', 1, { after: { ID: 6, T: 5, A: 6 } });
    const incomplete = record('INSERT', 1, { after: { ID: 7 } });
    assert.deepEqual(await post([late, incomplete]), {
      applied: 1,
      deadLettered: 1,
      reasons: [[1, 'invalid-envelope']],
    });
    assert.deepEqual((await rows())['6,5'], { ID: 6, T: 5, A: 6 });
  });

  test('has a change that died between its two writes finished at the key it was recorded with', async () => {
    const { post, rows } = await newStreamOn(store);
    const insert = record('INSERT', 1, { after: { ID: 1, T: 5, A: 1 } });
    await post(columns('*ID T A'));
    store.proxy.arm(1, 'before');
    assert.deepEqual(await post(insert), { status: 503 });
    store.proxy.disarm();
    assert.deepEqual(await rows(), {});
    await post(columns('*ID *T A'));
    assert.deepEqual(await post(insert), { applied: 1 });
    assert.deepEqual(await rows(), { 1: { ID: 1, T: 5, A: 1 } });
  });

  test('costs one request more for all of its records, and any other table none', async () => {
    const { post } = await newStreamOn(store);
    await post([columns('*ID T A'), columns('*ID *T A'), columns('*ID A', 'S.OTHER'), columns('*ID T', 'S.OTHER')]);
    const requests = async (table: string, from: number) => {
      const sent = Array.from({ length: 50 }, (_, index) => {
        return { ...record('INSERT', 1, { after: { ID: from + index, T: 1 } }), qual_table: table };
      });
      const start = store.proxy.requests;
      assert.deepEqual(await post(sent), { applied: 50 });
      return store.proxy.requests - start;
    };
    await requests('S.OTHER', 0);
    const [ordinary, changed] = [await requests('S.OTHER', 100), await requests('S.T', 100)];
    assert.equal(changed, ordinary + 1);
  });
});
