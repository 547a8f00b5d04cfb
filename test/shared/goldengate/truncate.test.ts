import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Deadline } from '../../../shared/body/deadline.ts';
import { deaths } from '../deaths.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { countsOf, instanceOn, post } from './consumerOn.ts';
import { newStreamOn } from './newStream.ts';
import { classic, METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const APPLY = { truncate: 'apply' } as const;

async function rowsOf(stream: string) {
  const rows = (await store.documents('rows')).filter((row) => row.stream === stream);
  return Object.fromEntries(rows.map((row) => [row.id, row.deleted ? 'deleted' : row.row]));
}

async function truncationOf(stream: string) {
  const found = (await store.documents('catalog')).find((each) => each.stream === stream && each.kind === 'truncation');
  return found === undefined
    ? undefined
    : { emptied: found.emptied, truncatedAt: String(found.truncatedAt).slice(0, 19) };
}

const insert = (second: number, ID: number) => record('INSERT', second, { after: { ID, A: `row ${ID}` } });

const STATEMENT = { object: { catalog: '', schema: 'S', object: 'T' }, statement: 'TRUNCATE TABLE S.T' };
const statement = (second: number) => record('DDL', second, { qual_table: undefined, ddl: STATEMENT });

/** How a truncation may come: as an operation, or as a statement where the source captures those. */
const SENT: readonly [string, (second: number) => object][] = [
  ['', (second) => record('TRUNCATE', second, {})],
  [' that comes as a statement', statement],
];

for (const [how, truncate] of SENT) {
  describe(`a truncation${how}`, () => {
    test('empties what came before it, and what comes late, but nothing newer', async () => {
      const { stream, post: send, rows } = await newStreamOn(store, APPLY);
      const truncation = truncate(5);
      const frame = [METADATA, insert(1, 1), insert(9, 2), truncation, insert(4, 3), insert(5, 4)];
      assert.deepEqual(await send(frame), { catalog: 1, applied: 4, stale: 1 });
      const expected = { 1: 'deleted', 2: { ID: 2, A: 'row 2' }, 4: { ID: 4, A: 'row 4' } };
      assert.deepEqual(await rows(), expected);
      assert.deepEqual(await send([truncation, insert(4, 4)]), { duplicate: 1, stale: 1 });
      assert.deepEqual(await rows(), expected);
      assert.deepEqual(await truncationOf(stream), { emptied: true, truncatedAt: '2026-01-01T00:00:05' });
    });

    test('empties what came before it though the clock of the instance that took that is ahead', async (t) => {
      for (const order of ['op_ts', 'arrival'] as const) {
        const { stream, post: send, rows } = await newStreamOn(store, { ...APPLY, order });
        const ahead = await instanceOn(store, stream, { ...APPLY, order });
        const { now } = Date;
        const clock = t.mock.method(Date, 'now', () => now() + 2_000);
        await post(ahead.consumer, stream, [METADATA, insert(1, 1), insert(1, 2)]);
        await post(ahead.consumer, stream, record('UPDATE', 1, { after: { ID: 2, A: 'b' } }));
        clock.mock.restore();
        assert.deepEqual(await send(truncate(1)), { applied: 1 });
        assert.deepEqual([order, await rows()], [order, { 1: 'deleted', 2: 'deleted' }]);
        assert.deepEqual(await send(insert(1, 2)), { applied: 1 });
        assert.deepEqual([order, await rows()], [order, { 1: 'deleted', 2: { ID: 2, A: 'row 2' } }]);
      }
    });

    test('of a table that is not emptied in half of the time is answered, and finished by the sweep', async (t) => {
      const { stream, post: send, rows } = await newStreamOn(store, APPLY);
      await send([METADATA, insert(1, 1)]);
      const { consumer, truncations } = await instanceOn(store, stream, APPLY);
      const body = Buffer.from(JSON.stringify(truncate(5)));
      const request = {
        stream,
        header: (name: string) => (name === 'content-length' ? String(body.byteLength) : null),
        body: async () => body,
      };
      const deadline = new Deadline(10_000);
      const { now } = Date;
      const clock = t.mock.method(Date, 'now', () => now() + 5_000);
      assert.deepEqual(await consumer.ingest(request, deadline), [{ outcome: 'applied' }]);
      clock.mock.restore();
      assert.deepEqual([await rows(), (await truncationOf(stream))?.emptied], [{ 1: { ID: 1, A: 'row 1' } }, false]);
      await truncations.resume(() => false);
      assert.deepEqual([await rows(), (await truncationOf(stream))?.emptied], [{ 1: 'deleted' }, true]);
    });

    test('of a large table whose request dies on the way is finished by the sweep', async () => {
      const rows = Array.from({ length: 450 }, (_, n) => insert(1, n));
      const { stream } = await newStreamOn(store, APPLY);
      const { consumer, truncations } = await instanceOn(store, stream, APPLY);
      await post(consumer, stream, [METADATA, ...rows]);
      store.proxy.arm(6, 'after');
      assert.deepEqual(countsOf(await post(consumer, stream, truncate(5))), { status: 503 });
      store.proxy.disarm();
      assert.equal((await truncationOf(stream))?.emptied, false);
      assert.equal(await truncations.resume(() => false), 1);
      assert.deepEqual([...new Set(Object.values(await rowsOf(stream)))], ['deleted']);
      assert.equal((await truncationOf(stream))?.emptied, true);
      assert.equal(await truncations.resume(() => false), 0);
    });

    test('ends in the same rows whichever write its request dies at', async () => {
      const send = async (stream: string, records: readonly object[]) => {
        const { consumer } = await instanceOn(store, stream, APPLY);
        return (await post(consumer, stream, [METADATA, ...records])).status;
      };
      const life = () => [insert(1, 1), insert(1, 2), truncate(2), insert(3, 2), insert(3, 3)];
      const expected = { 1: 'deleted', 2: { ID: 2, A: 'row 2' }, 3: { ID: 3, A: 'row 3' } };
      const calm = (await newStreamOn(store)).stream;
      store.proxy.disarm();
      assert.equal(await send(calm, life()), 200);
      const total = store.proxy.writes;
      assert.deepEqual(await rowsOf(calm), expected);
      for (const { writes, death } of deaths(total)) {
        const { stream } = await newStreamOn(store);
        const records = life();
        store.proxy.arm(writes, death);
        assert.equal(await send(stream, records), 503);
        store.proxy.disarm();
        assert.equal(await send(stream, records), 200);
        const at = `${death} write ${writes}`;
        assert.deepEqual([await rowsOf(stream), (await truncationOf(stream))?.emptied], [expected, true], at);
      }
    });
  });
}

describe('a truncation that comes as a statement', () => {
  test('is recorded as one, and leaves what is known of the table as it was', async () => {
    for (const settings of [APPLY, {}]) {
      const { post: send, rows, of } = await newStreamOn(store, settings);
      const truncation = statement(5);
      assert.deepEqual(await send([METADATA, insert(1, 1), truncation]), { catalog: 1, applied: 2 });
      assert.deepEqual(await send(truncation), { duplicate: 1 });
      assert.deepEqual(await rows(), { 1: settings === APPLY ? 'deleted' : { ID: 1, A: 'row 1' } });
      const { origin } = (await of('changes')).find(({ op }) => op === 'ddl') ?? {};
      assert.deepEqual((origin as { ddl?: object }).ddl, STATEMENT);
      const table = (await of('catalog')).find(({ kind }) => kind === 'table');
      assert.deepEqual([table?.stale, table?.ddl], [false, []]);
    }
  });
});

describe('a truncation', () => {
  test('is recorded and reported, and empties nothing, unless the stream allows it', async () => {
    const { consumer } = await instanceOn(store, 'report');
    const truncate = record('TRUNCATE', 5, {});
    assert.deepEqual(countsOf(await post(consumer, 'report', [METADATA, insert(1, 1), truncate])), {
      catalog: 1,
      applied: 1,
      ignored: 1,
    });
    assert.deepEqual(countsOf(await post(consumer, 'report', truncate)), { duplicate: 1 });
    assert.deepEqual(await rowsOf('report'), { 1: { ID: 1, A: 'row 1' } });
    const changes = (await store.documents('changes')).filter(
      ({ stream, op }) => stream === 'report' && op === 'truncate',
    );
    assert.equal(changes.length, 1);
  });

  test('empties what came before it in its own request, at one time', async () => {
    for (const order of ['op_ts', 'arrival'] as const) {
      const { post: send, rows } = await newStreamOn(store, { ...APPLY, order });
      const ddl = {
        op_type: 'DDL',
        op_ts: '2026-01-01T00:00:01Z',
        pos: 'G-D',
        ddl: { object: { schema: 'S', object: 'T' } },
      };
      const update = (A: string) => record('UPDATE', 1, { after: { ID: 1, A } });
      await send([
        insert(1, 1),
        METADATA,
        update('b'),
        ddl,
        METADATA,
        update('c'),
        insert(1, 2),
        record('TRUNCATE', 1, {}),
      ]);
      assert.deepEqual([order, await rows()], [order, { 1: 'deleted', 2: 'deleted' }]);
      await send(insert(1, 3));
      assert.deepEqual([order, await rows()], [order, { 1: 'deleted', 2: 'deleted', 3: { ID: 3, A: 'row 3' } }]);
    }
  });

  test('lets in what is sent after it was answered, though the clock that takes it is behind', async (t) => {
    const { post: send, rows } = await newStreamOn(store, { ...APPLY, order: 'arrival' });
    await send([METADATA, insert(1, 1), record('TRUNCATE', 1, {})]);
    const { now } = Date;
    t.mock.method(Date, 'now', () => now() - 500);
    assert.deepEqual(await send([insert(1, 1), insert(1, 2)]), { applied: 2 });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'row 1' }, 2: { ID: 2, A: 'row 2' } });
  });

  test('empties what came before it though that waited with the arrival of a clock that is ahead', async (t) => {
    const { stream, post: send, rows } = await newStreamOn(store, { ...APPLY, order: 'arrival' });
    const body = [insert(1, 1), METADATA, record('TRUNCATE', 1, {})];
    const { consumer } = await instanceOn(store, stream, { ...APPLY, order: 'arrival' });
    const isParked = async () => (await store.documents('parked')).some((each) => each.stream === stream);
    for (let write = 0; !(await isParked()); write++) {
      store.proxy.arm(write, 'after');
      await post(consumer, stream, body);
      store.proxy.disarm();
    }
    const { now } = Date;
    t.mock.method(Date, 'now', () => now() - 500);
    await send(body);
    assert.deepEqual(await rows(), { 1: 'deleted' });
  });

  test('of the row model has no columns, and is about the table all the same', async () => {
    const { consumer } = await instanceOn(store, 'rowModel', APPLY);
    const row = (second: number, ID: number) => ({
      ...classic('I', `${second}${ID}`, { ID, A: `row ${ID}` }),
      op_ts: `2026-01-01 00:00:0${second}.000000`,
    });
    const truncate = { ...classic('T', '50', {}), op_ts: '2026-01-01 00:00:05.000000' };
    assert.deepEqual(countsOf(await post(consumer, 'rowModel', [row(1, 1), row(1, 2), truncate, row(6, 3)])), {
      applied: 4,
    });
    assert.deepEqual(countsOf(await post(consumer, 'rowModel', truncate)), { duplicate: 1 });
    assert.deepEqual(await rowsOf('rowModel'), { 1: 'deleted', 2: 'deleted', 3: { ID: 3, A: 'row 3' } });
    const changes = (await store.documents('changes')).filter(
      ({ stream, op }) => stream === 'rowModel' && op === 'truncate',
    );
    assert.deepEqual(
      changes.map(({ image, keys, before, after, origin }) => ({ image, keys, before, after, origin })),
      [{ image: 'none', keys: null, before: null, after: null, origin: truncate }],
    );
    assert.deepEqual(await truncationOf('rowModel'), { emptied: true, truncatedAt: '2026-01-01T00:00:05' });
  });

  test('counts for what comes late, also for rows that were never there', async () => {
    const { consumer } = await instanceOn(store, 'late', APPLY);
    await post(consumer, 'late', [METADATA, record('TRUNCATE', 5, {})]);
    const late = [insert(4, 1), record('UPDATE', 6, { after: { ID: 2, B: 'b' } }), insert(1, 2)];
    assert.deepEqual(countsOf(await post(consumer, 'late', late)), { stale: 2, applied: 1 });
    assert.deepEqual(await rowsOf('late'), { 2: { ID: 2, B: 'b' } });
    // An older truncation changes nothing any more.
    await post(consumer, 'late', record('TRUNCATE', 2, {}));
    assert.deepEqual(await truncationOf('late'), { emptied: true, truncatedAt: '2026-01-01T00:00:05' });
  });

  test('that begins on another instance in the middle of a merge still counts for it', async () => {
    for (let round = 0; round < 3; round++) {
      const stream = `during${round}`;
      const [one, other] = await Promise.all([instanceOn(store, stream, APPLY), instanceOn(store, stream, APPLY)]);
      await post(one.consumer, stream, METADATA);
      const rows = Array.from({ length: 20 }, (_, n) => insert(1, n));
      await Promise.all([post(one.consumer, stream, rows), post(other.consumer, stream, record('TRUNCATE', 5, {}))]);
      const live = Object.values(await rowsOf(stream)).filter((row) => row !== 'deleted');
      assert.deepEqual(live, [], stream);
    }
  });
});
