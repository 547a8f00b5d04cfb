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

const column = (type: string, key: boolean) => ({ type, null: !key, key });
const metadata = (columns: object) => ({ ...METADATA, columns });
const ORDER_LINE = metadata({
  ORDER: column('number', true),
  A: column('string', false),
  LINE: column('number', true),
});

/** Ids of the rows, with the key that each has. */
function keysOf(rows: readonly Record<string, unknown>[]) {
  return Object.fromEntries(rows.map(({ id, keys }) => [id, keys]));
}

describe('primary_keys', () => {
  test('may be a list or a text with commas', async () => {
    for (const primary_keys of [['REGION', 'NR'], 'REGION,NR', ' REGION , NR ']) {
      const { post, rows, of } = await newStreamOn(store);
      const frame = [
        record('INSERT', 1, { after: { NR: 7, A: 'a', REGION: 'eu' }, primary_keys }),
        record('UPDATE', 2, { after: { NR: 7, B: 'b', REGION: 'eu' }, primary_keys }),
      ];
      assert.deepEqual(await post(frame), { applied: 2 });
      assert.deepEqual(await rows(), { 'eu,7': { REGION: 'eu', NR: 7, A: 'a', B: 'b' } });
      assert.deepEqual(keysOf(await of('rows')), { 'eu,7': { REGION: 'eu', NR: 7 } });
    }
    const { post, rows } = await newStreamOn(store);
    assert.deepEqual(await post(record('INSERT', 1, { after: { ID: 1 }, primary_keys: 'ID' })), { applied: 1 });
    assert.deepEqual(await rows(), { 1: { ID: 1 } });
  });

  test('that name nothing between two commas are a dead letter', async () => {
    const { post } = await newStreamOn(store);
    for (const primary_keys of ['ID,', ',ID', 'ID,,NR']) {
      const { reasons } = await post(record('INSERT', 1, { after: { ID: 1, NR: 1 }, primary_keys }));
      assert.deepEqual(reasons, [[0, 'invalid-envelope']], primary_keys);
    }
  });
});

describe('the key of a composite', () => {
  test('has its columns in the order of the metadata, whatever the order of the images', async () => {
    const { post, rows, of } = await newStreamOn(store);
    const frame = [
      ORDER_LINE,
      record('INSERT', 1, { after: { LINE: 2, ORDER: 10, A: 'a' } }),
      record('INSERT', 2, { after: { A: 'b', ORDER: 2, LINE: 10 } }),
      record('INSERT', 3, { after: { LINE: 'x y', ORDER: 'a,b' } }),
    ];
    assert.deepEqual(await post(frame), { catalog: 1, applied: 3 });
    assert.deepEqual(keysOf(await of('rows')), {
      '10,2': { ORDER: 10, LINE: 2 },
      '2,10': { ORDER: 2, LINE: 10 },
      'a%2Cb,x y': { ORDER: 'a,b', LINE: 'x y' },
    });
    assert.deepEqual((await rows())['10,2'], { ORDER: 10, LINE: 2, A: 'a' });
  });

  test('keeps the order that it had first while its columns are the same ones, whatever becomes of the others', async () => {
    const { post, rows, of } = await newStreamOn(store);
    const insert = record('INSERT', 1, { after: { LINE: 2, ORDER: 10, A: 'a' } });
    const [ORDER, LINE] = [column('number', true), column('number', true)];
    const [A, B] = [column('string', false), column('string', false)];
    assert.deepEqual(await post([ORDER_LINE, insert]), { catalog: 1, applied: 1 });
    // Members in another order; a column more, one less; another key in between.
    for (const columns of [
      { LINE, A, ORDER },
      { B, LINE, ORDER, A },
      { LINE, ORDER },
      { LINE, A },
      { LINE, ORDER, A },
    ]) {
      assert.deepEqual(await post([metadata(columns), insert]), { catalog: 1, duplicate: 1 });
    }
    await post(record('UPDATE', 2, { after: { LINE: 2, ORDER: 10, A: 'b' } }));
    assert.deepEqual(await rows(), { '10,2': { ORDER: 10, LINE: 2, A: 'b' } });
    assert.deepEqual(
      (await of('catalog')).map(({ key }) => key),
      [['ORDER', 'LINE']],
    );
  });

  test('has them in the order of primary_keys, of the setting, and of the metadata before either', async () => {
    const primary_keys = ['LINE', 'ORDER'];
    const listed = await newStreamOn(store);
    await listed.post(record('INSERT', 1, { after: { ORDER: 10, LINE: 2 }, primary_keys }));
    assert.deepEqual(Object.keys(await listed.rows()), ['2,10']);
    const configured = await newStreamOn(store, { keys: { 'S.T': primary_keys } });
    await configured.post(record('INSERT', 1, { after: { ORDER: 10, LINE: 2 } }));
    assert.deepEqual(Object.keys(await configured.rows()), ['2,10']);
    await configured.post([ORDER_LINE, record('INSERT', 1, { after: { ORDER: 11, LINE: 2 }, primary_keys })]);
    assert.deepEqual(Object.keys(await configured.rows()), ['11,2', '2,10']);
  });
});

describe('the key of a delete', () => {
  test('is in its before image, else in its after image', async () => {
    const { post, rows } = await newStreamOn(store);
    await post([METADATA, ...[1, 2, 3, 4].map((ID) => record('INSERT', 1, { after: { ID, A: 'a' } }))]);
    const deletes = [
      record('DELETE', 2, { before: { ID: 1, A: 'a' } }),
      record('DELETE', 2, { after: { ID: 2 } }),
      record('DELETE', 2, { before: null, after: { ID: 3, A: null } }),
      record('DELETE', 2, { before: {}, after: { ID: 4 } }),
    ];
    assert.deepEqual(await post(deletes), { applied: 4 });
    assert.deepEqual(await rows(), { 1: 'deleted', 2: 'deleted', 3: 'deleted', 4: 'deleted' });
  });

  test('is of both images where one has only some of its columns', async () => {
    const { post, rows } = await newStreamOn(store);
    await post([ORDER_LINE, record('INSERT', 1, { after: { ORDER: 1, LINE: 2 } })]);
    assert.deepEqual(await post(record('DELETE', 2, { before: { LINE: 2 }, after: { ORDER: 1 } })), { applied: 1 });
    assert.deepEqual(await rows(), { '1,2': 'deleted' });
  });
});

describe('the key of an update', () => {
  test('is in its before image where the after image lacks it', async () => {
    const { post, rows, of } = await newStreamOn(store);
    await post([METADATA, record('INSERT', 1, { after: { ID: 1, A: 'a', B: 'b' } })]);
    const update = record('UPDATE', 2, { before: { ID: 1, A: 'a' }, after: { A: 'changed' } });
    assert.deepEqual(await post(update), { applied: 1 });
    assert.deepEqual(await post(record('UPSERT', 3, { before: { ID: 2 }, after: { B: 'new' } })), { applied: 1 });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'changed', B: 'b' }, 2: { ID: 2, B: 'new' } });
    assert.deepEqual(keysOf(await of('rows')), { 1: { ID: 1 }, 2: { ID: 2 } });
  });

  test('that changes one column of a composite has the other from the before image', async () => {
    const { post, rows, of } = await newStreamOn(store);
    await post([ORDER_LINE, record('INSERT', 1, { after: { ORDER: 1, LINE: 2, A: 'a' } })]);
    const move = record('UPDATE', 2, { before: { ORDER: 1, LINE: 2 }, after: { LINE: 3 } });
    assert.deepEqual(await post(move), { applied: 1 });
    assert.deepEqual(await rows(), { '1,2': 'deleted', '1,3': { ORDER: 1, LINE: 3, A: 'a' } });
    assert.deepEqual(keysOf(await of('rows')), { '1,2': { ORDER: 1, LINE: 2 }, '1,3': { ORDER: 1, LINE: 3 } });
  });
});

describe('a key whose column is declared', () => {
  const schema = (type: string) => {
    const after = { type: 'object', properties: { ID: { type } } };
    return { id: 'urn:x:dml', $schema: 'x', properties: { qual_table: { const: 'S.T' }, after } };
  };
  /** Who declares the type: the metadata, or the table's schema beside metadata that says nothing of it. */
  const declarations: readonly ((type: string) => readonly object[])[] = [
    (type) => [metadata({ ID: column(type, true) })],
    (type) => [metadata({ ID: { key: true } }), schema(type)],
  ];
  const insert = (second: number, ID: unknown, rest: object) => record('INSERT', second, { after: { ID, ...rest } });

  test('boolean is one key as a boolean and as a text', async () => {
    for (const declaration of declarations) {
      const { post, rows, of } = await newStreamOn(store);
      await post([...declaration('boolean'), insert(1, 'true', { A: 'a' }), insert(2, true, { B: 'b' })]);
      await post([insert(3, false, {}), insert(4, 'false', { A: 'f' })]);
      assert.deepEqual(await rows(), {
        false: { ID: false, A: 'f' },
        true: { ID: true, A: 'a', B: 'b' },
      });
      assert.deepEqual(keysOf(await of('rows')), {
        false: { ID: false },
        true: { ID: true },
      });
    }
  });

  test('string is one key as a text, a number and a boolean', async () => {
    for (const declaration of declarations) {
      const { post, rows, of } = await newStreamOn(store);
      await post([...declaration('string'), insert(1, 600, { A: 'a' }), insert(2, '600', { B: 'b' })]);
      await post([
        insert(3, '1.5', { A: 'a' }),
        insert(4, 1.5, { B: 'b' }),
        insert(5, true, {}),
        insert(6, '0600', {}),
      ]);
      assert.deepEqual(await rows(), {
        '0600': { ID: '0600' },
        '1.5': { ID: '1.5', A: 'a', B: 'b' },
        600: { ID: '600', A: 'a', B: 'b' },
        true: { ID: 'true' },
      });
      assert.deepEqual(keysOf(await of('rows')), {
        '0600': { ID: '0600' },
        '1.5': { ID: '1.5' },
        600: { ID: '600' },
        true: { ID: 'true' },
      });
    }
  });
});

describe('a key with a NUL in it', () => {
  const NUL = '\u0000';

  test('is one key in every record, and another than one without', async () => {
    const { post, rows } = await newStreamOn(store, { keys: { 'S.T': ['ID'] } });
    const insert = record('INSERT', 1, { after: { ID: `a${NUL}b`, A: 'x' } });
    // Some producers escape it, some do not.
    const raw = JSON.stringify(record('UPDATE', 2, { after: { ID: 'a=NUL=b', B: 'y' } })).replace('=NUL=', NUL);
    await post(JSON.stringify(insert) + raw);
    await post(['ab', 'a', `a${NUL}`, NUL].map((ID) => record('INSERT', 3, { after: { ID } })));
    assert.deepEqual(await rows(), {
      '%00': { ID: NUL },
      a: { ID: 'a' },
      'a%00': { ID: `a${NUL}` },
      'a%00b': { ID: `a${NUL}b`, A: 'x', B: 'y' },
      ab: { ID: 'ab' },
    });
    await post(record('UPDATE', 4, { before: { ID: `a${NUL}b`, A: 'x' }, after: { ID: `c${NUL}`, A: 'z' } }));
    await post(record('DELETE', 5, { before: { ID: NUL } }));
    assert.deepEqual(await rows(), {
      '%00': 'deleted',
      a: { ID: 'a' },
      'a%00': { ID: `a${NUL}` },
      'a%00b': 'deleted',
      ab: { ID: 'ab' },
      'c%00': { ID: `c${NUL}`, A: 'z', B: 'y' },
    });
  });
});
