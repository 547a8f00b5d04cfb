import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NormalizedChange } from '../../../shared/change/change.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { UnprocessableError } from '../../../shared/ingest/reasons.ts';
import { rowName } from '../../../shared/ingest/rowName.ts';
import { deaths } from '../deaths.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { deliver, TestTable } from './changes.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

async function ingest(changes: readonly NormalizedChange[]) {
  const pipeline = new Pipeline(await store.open(), store.config);
  return (await pipeline.ingest('ces', 's', deliver(changes))).map(({ outcome }) => outcome);
}

/** What is in the store of one table: rows by id, and how many changes were recorded. */
async function contentOf({ table }: TestTable) {
  const rows = (await store.documents('rows')).filter((row) => row.table === table);
  const changes = (await store.documents('changes')).filter((change) => change.table === table);
  return { rows: Object.fromEntries(rows.map((row) => [row.id, row.deleted ? 'deleted' : row.row])), changes };
}

describe('ingesting changes', () => {
  test('tells applied, duplicate and stale apart', async () => {
    const table = new TestTable('outcomes');
    const insert = table.insert(5, { id: 1, name: 'a' });
    assert.deepEqual(await ingest([insert, insert]), ['applied', 'duplicate']);
    assert.deepEqual(await ingest([insert, table.update(3, { id: 1, name: 'old' }), table.delete(6, 1)]), [
      'duplicate',
      'stale',
      'applied',
    ]);
    assert.deepEqual((await contentOf(table)).rows, { 1: 'deleted' });
  });

  test('tells applied what was applied when the answer to a write is lost, whichever write it is', async () => {
    const scenario = (table: TestTable) => [
      table.insert(1, { id: 1, name: 'a' }),
      table.insert(2, { id: 2, name: 'b' }),
      table.move(3, 1, { id: 3 }, { id: 1, name: 'a' }),
      table.update(4, { id: 2, name: 'c' }),
      table.update(5, { id: 3, name: 'd' }),
      table.delete(6, 2),
    ];
    store.proxy.disarm();
    await ingest(scenario(new TestTable('allAnswers')));
    const total = store.proxy.writes;
    for (let write = 0; write < total; write++) {
      const table = new TestTable(`lostAnswer${write}`);
      store.proxy.loseAnswer(write);
      assert.deepEqual(await ingest(scenario(table)), Array(6).fill('applied'), `write ${write} of ${total}`);
      assert.deepEqual((await contentOf(table)).rows, { 1: 'deleted', 2: 'deleted', 3: { id: 3, name: 'd' } });
    }
  });

  test('makes a dead letter of what cannot be processed, and of nothing else', async () => {
    const table = new TestTable('deadLetters');
    const bad = new UnprocessableError('no-order', 'there is no LSN');
    const [good] = deliver([table.insert(1, { id: 1 })]);
    assert.ok(good !== undefined);
    const pipeline = new Pipeline(await store.open(), store.config);
    const outcomes = await pipeline.ingest('ces', 's', [
      { decoded: bad, position: { n: 1 }, bytes: Buffer.from('bad') },
      good,
    ]);
    const [letter] = await store.documents('deadletters');
    assert.deepEqual(outcomes, [
      { outcome: 'deadLettered', reason: 'no-order', detail: 'there is no LSN', deadLetterId: letter?.id },
      { outcome: 'applied' },
    ]);
  });

  test('keeps a change without a key in the history, flagged, and makes no row of it', async () => {
    const table = new TestTable('unkeyed');
    const { keys: _, ...change } = table.update(1, { name: 'Stove' });
    assert.deepEqual(await ingest([{ ...change, keys: null, key: '-7f', flag: 'no-key' }]), ['applied']);
    const { rows, changes } = await contentOf(table);
    assert.deepEqual([rows, changes.map(({ key, flag }) => [key, flag])], [{}, [['-7f', 'no-key']]]);
  });

  test('writes a row once for all the changes of a batch, and merges what others wrote in between', async () => {
    const table = new TestTable('contended');
    const writers = Array.from({ length: 8 }, (_, writer) =>
      ingest(Array.from({ length: 10 }, (_, n) => table.update(1 + writer * 10 + n, { id: 1, [`w${writer}`]: n }))),
    );
    await Promise.all(writers);
    const expected = Object.fromEntries(Array.from({ length: 8 }, (_, writer) => [`w${writer}`, 9]));
    assert.deepEqual((await contentOf(table)).rows, { 1: { id: 1, ...expected } });
  });

  test('merges into a row as it is when it is written, however long ago it was read', async () => {
    const table = new TestTable('readBefore');
    const { rows } = await store.open();
    const [name, address] = [rowName(table.table, '1'), { table: table.table, id: '1' }];
    const before = await rows.read([address]);
    await ingest([table.insert(1, { id: 1, a: 'old', b: 'old' })]);
    const afterInsert = await rows.read([address]);
    await ingest([table.update(2, { id: 1, b: 'new' })]);
    const pipeline = new Pipeline(await store.open(), store.config);
    for (const [at, [read]] of [before, afterInsert].entries()) {
      const update = table.update(3 + at, { id: 1, [`c${at}`]: at });
      await pipeline.ingest('ces', 's', deliver([update]), { read: new Map([[name, read]]) });
    }
    assert.deepEqual((await contentOf(table)).rows, { 1: { id: 1, a: 'old', b: 'new', c0: 0, c1: 1 } });
  });
});

describe('a change that moves a row to another key', () => {
  test('takes along the columns that it does not carry, leaves a tombstone, and is recorded under both keys', async () => {
    const table = new TestTable('move');
    const outcomes = await ingest([
      table.insert(1, { id: 1, name: 'a', city: 'x' }),
      table.move(2, 1, { id: 2, name: 'b' }, { id: 1 }),
      table.update(3, { id: 2, city: 'y' }),
    ]);
    assert.deepEqual(outcomes, ['applied', 'applied', 'applied']);
    const { rows, changes } = await contentOf(table);
    assert.deepEqual(rows, { 1: 'deleted', 2: { id: 2, name: 'b', city: 'y' } });
    assert.deepEqual(
      changes
        .filter(({ origin }) => (origin as { at: number }).at === 2)
        .map(({ key, op, after: image }) => ({ key, op, image })),
      [
        { key: '1', op: 'delete', image: null },
        { key: '2', op: 'update', image: { id: 2, name: 'b', city: 'x' } },
      ],
    );
  });

  test('changes nothing when it comes again, whatever happened to the old key meanwhile', async () => {
    const table = new TestTable('moveAgain');
    const move = table.move(2, 1, { id: 2 }, { id: 1 });
    await ingest([table.insert(1, { id: 1, name: 'a' }), move]);
    await ingest([table.insert(5, { id: 1, name: 'someone new' })]);
    assert.deepEqual(await ingest([move]), ['duplicate']);
    assert.deepEqual((await contentOf(table)).rows, { 1: { id: 1, name: 'someone new' }, 2: { id: 2, name: 'a' } });
  });

  test('of a row that an older move of the same transaction has just filled spares that row', async () => {
    const table = new TestTable('shift');
    const rows = [1, 2, 3];
    await ingest(rows.map((id) => table.insert(id, { id, name: `row ${id}` })));
    await ingest(
      rows.map((id) => table.move(10 + id, id, { id: id + 1, name: `row ${id}` }, { id, name: `row ${id}` }, 10)),
    );
    assert.deepEqual((await contentOf(table)).rows, {
      1: 'deleted',
      2: { id: 2, name: 'row 1' },
      3: { id: 3, name: 'row 2' },
      4: { id: 4, name: 'row 3' },
    });
  });

  for (const between of [false, true]) {
    const what = between ? 'with other changes between them' : 'one after another';
    test(`and comes again among many that touch each other, ${what}, takes few requests`, async () => {
      const table = new TestTable(`shiftAgain ${between}`);
      const ids = Array.from({ length: 30 }, (_, n) => n + 1);
      await ingest(ids.map((id) => table.insert(id, { id, name: `row ${id}` })));
      const changes = ids.flatMap((id) => {
        const move = table.move(100 + id, id, { id: id + 1 }, { id, name: `row ${id}` }, 100);
        return between ? [move, table.update(200 + id, { id: id + 1, city: `city ${id}` })] : [move];
      });
      const requestsOf = async (outcome: string) => {
        const before = store.proxy.requests;
        assert.deepEqual(await ingest(changes), Array(changes.length).fill(outcome));
        return store.proxy.requests - before;
      };
      const [first, again] = [await requestsOf('applied'), await requestsOf('duplicate')];
      assert.ok(first > 5 * ids.length && again < ids.length, `${first}, again ${again}`);
      const expected = ids.map((id) => {
        const row = { id: id + 1, name: `row ${id}` };
        return [String(id + 1), between ? { ...row, city: `city ${id}` } : row];
      });
      assert.deepEqual((await contentOf(table)).rows, { 1: 'deleted', ...Object.fromEntries(expected) });
    });
  }

  test('over others ends in the same documents at whatever write the process dies, each row with its own columns', async () => {
    const ids = [1, 2, 3];
    // Two rows change places; then all three go on by one, and one of them moves once more.
    const scenario = (table: TestTable) => [
      table.move(8, 1, { id: 2 }, { id: 1, name: 'row 1' }, 8),
      table.move(9, 2, { id: 1, name: 'row two' }, { id: 2, name: 'row 2' }, 8),
      table.move(11, 1, { id: 2 }, { id: 1, name: 'row two' }, 10),
      table.move(12, 2, { id: 3 }, { id: 2, name: 'row 1' }, 10),
      table.move(13, 3, { id: 4 }, { id: 3, name: 'row 3' }, 10),
      table.update(20, { id: 3, street: 'x' }),
      table.move(21, 3, { id: 9 }, { id: 3, name: 'row 1' }),
    ];
    const content = async (table: TestTable) => {
      const { rows, changes } = await contentOf(table);
      const recorded = changes.map(({ key, op, image, after: columns, displaced, flag }) =>
        JSON.stringify({ key, op, image, columns, displaced, flag }),
      );
      return { rows, changes: recorded.sort() };
    };
    const prepared = async (name: string) => {
      const table = new TestTable(name);
      // The city of the second row is not known: it must not be that of another one.
      const insert = (id: number) => ({ id, name: `row ${id}`, ...(id === 2 ? {} : { city: `city ${id}` }) });
      await ingest(ids.map((id) => table.insert(id, insert(id))));
      return table;
    };
    const undisturbed = await prepared('undisturbedShift');
    store.proxy.disarm();
    await ingest(scenario(undisturbed));
    const total = store.proxy.writes;
    const expected = await content(undisturbed);
    assert.deepEqual(expected.rows, {
      1: 'deleted',
      2: { id: 2, name: 'row two' },
      3: 'deleted',
      4: { id: 4, name: 'row 3', city: 'city 3' },
      9: { id: 9, name: 'row 1', city: 'city 1', street: 'x' },
    });
    for (const { writes, death } of deaths(total)) {
      const table = await prepared(`shift death ${death} write ${writes}`);
      store.proxy.arm(writes, death);
      await assert.rejects(ingest(scenario(table)), { name: 'StoreUnavailableError' });
      store.proxy.disarm();
      await ingest(scenario(table));
      assert.deepEqual(await content(table), expected, `${death} write ${writes}`);
    }
  });

  test('onto the key of a row that nothing else tells apart keeps what may be its own later state', async () => {
    // A load read the row at its new key before the stream tells of the move.
    const table = new TestTable('overlap');
    await ingest([table.insert(1, { id: 2, name: 'a', city: 'x' }), table.move(5, 1, { id: 2 }, { id: 1, name: 'a' })]);
    assert.deepEqual((await contentOf(table)).rows, { 1: 'deleted', 2: { id: 2, name: 'a', city: 'x' } });
  });

  test('ends in the same documents whichever write the process dies at, and whether that write got through', async () => {
    const scenario = (table: TestTable) => [
      table.insert(1, { id: 1, name: 'a', city: 'x' }),
      table.move(2, 1, { id: 2, name: 'b' }, { id: 1 }),
      table.update(3, { id: 2, city: 'y' }),
      table.move(4, 2, { id: 3 }, { id: 2 }),
    ];
    const content = async (table: TestTable) => {
      const { rows, changes } = await contentOf(table);
      const recorded = changes.map(({ key, op, before: old, after: image, movedFrom, movedTo }) =>
        JSON.stringify({ key, op, old, image, movedFrom, movedTo }),
      );
      return { rows, changes: recorded.sort() };
    };
    store.proxy.disarm();
    const undisturbed = new TestTable('undisturbed');
    await ingest(scenario(undisturbed));
    const total = store.proxy.writes;
    const expected = await content(undisturbed);
    assert.ok(total >= 10, `${total} writes`);
    for (const { writes, death } of deaths(total)) {
      const table = new TestTable(`death ${death} write ${writes}`);
      store.proxy.arm(writes, death);
      await assert.rejects(ingest(scenario(table)), { name: 'StoreUnavailableError' });
      store.proxy.disarm();
      await ingest(scenario(table));
      assert.deepEqual(await content(table), expected, `${death} write ${writes}`);
    }
  });
});
