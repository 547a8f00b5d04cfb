import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sweepGoldenGate } from '../../../shared/goldengate/sweep.ts';
import { deaths } from '../deaths.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { countsOf, instanceOn, post } from './consumerOn.ts';
import { cloudEvent, METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

async function contentOf(stream: string) {
  const rows = (await store.documents('rows')).filter((row) => row.stream === stream);
  const parked = (await store.documents('parked')).filter((each) => each.stream === stream);
  return {
    rows: Object.fromEntries(rows.map((row) => [row.id, row.deleted ? 'deleted' : row.row])),
    parked: parked.length,
  };
}

const life = () => [
  record('INSERT', 1, { after: { ID: 1, A: 'a' } }),
  record('UPDATE', 1, { before: { ID: 1, A: 'a' }, after: { ID: 1, A: 'b' } }),
  record('UPDATE', 1, { before: { ID: 1, A: 'b' }, after: { ID: 2, A: 'b' } }),
  record('UPDATE', 1, { after: { ID: 2, B: 'c' } }),
];
const AFTER_LIFE = { 1: 'deleted', 2: { ID: 2, A: 'b', B: 'c' } };

describe('records whose key nobody knows', () => {
  test('wait, and are replayed in order inside the request that brings the metadata', async () => {
    const { consumer } = await instanceOn(store, 'simple');
    const records = life();
    for (const each of records) assert.deepEqual(countsOf(await post(consumer, 'simple', each)), { parked: 1 });
    assert.deepEqual(await contentOf('simple'), { rows: {}, parked: 4 });
    // Sent again they keep their place.
    assert.deepEqual(countsOf(await post(consumer, 'simple', records.toReversed())), { parked: 4 });
    assert.deepEqual(countsOf(await post(consumer, 'simple', METADATA)), { catalog: 1 });
    assert.deepEqual(await contentOf('simple'), { rows: AFTER_LIFE, parked: 0 });
    assert.deepEqual(countsOf(await post(consumer, 'simple', records)), { duplicate: 4 });
  });

  test('wait also for metadata that stands later in their own request', async () => {
    const { consumer } = await instanceOn(store, 'later');
    const [first, ...rest] = life();
    assert.deepEqual(countsOf(await post(consumer, 'later', [first, METADATA, ...rest])), {
      parked: 1,
      catalog: 1,
      applied: 3,
    });
    assert.deepEqual(await contentOf('later'), { rows: AFTER_LIFE, parked: 0 });
  });

  test('keep the arrival with which they came: what came after them at the same time stays newer', async () => {
    const { consumer } = await instanceOn(store, 'arrival');
    await post(consumer, 'arrival', record('INSERT', 1, { after: { ID: 1, A: 'parked', B: 'parked' } }));
    const keyed = { ...record('UPDATE', 1, { after: { ID: 1, A: 'newer' } }), primary_keys: ['ID'] };
    assert.deepEqual(countsOf(await post(consumer, 'arrival', keyed)), { applied: 1 });
    await post(consumer, 'arrival', METADATA);
    assert.deepEqual(await contentOf('arrival'), { rows: { 1: { ID: 1, A: 'newer', B: 'parked' } }, parked: 0 });
  });

  test('wait in lists inside envelopes too, each for itself', async () => {
    const { consumer } = await instanceOn(store, 'nested');
    assert.deepEqual(countsOf(await post(consumer, 'nested', cloudEvent('OGG-1', life()))), { parked: 4 });
    await post(consumer, 'nested', METADATA);
    assert.deepEqual(await contentOf('nested'), { rows: AFTER_LIFE, parked: 0 });
  });

  test('are not forgotten when the metadata comes at the same time through another instance', async () => {
    for (let round = 0; round < 3; round++) {
      const stream = `race${round}`;
      const [one, other] = await Promise.all([instanceOn(store, stream), instanceOn(store, stream)]);
      await Promise.all([post(one.consumer, stream, life()), post(other.consumer, stream, METADATA)]);
      assert.deepEqual(await contentOf(stream), { rows: AFTER_LIFE, parked: 0 }, stream);
    }
  });

  test('are found by the sweep when everybody else missed them', async () => {
    const { consumer, parking, truncations } = await instanceOn(store, 'missed');
    await post(consumer, 'missed', life());
    // The metadata is there, and its instance died before it looked for those who wait.
    store.proxy.arm(1, 'before');
    assert.deepEqual(countsOf(await post(consumer, 'missed', METADATA)), { status: 503 });
    store.proxy.disarm();
    assert.equal((await contentOf('missed')).parked, 4);
    await sweepGoldenGate({ parking, truncations, consumerOf: () => consumer });
    assert.deepEqual(await contentOf('missed'), { rows: AFTER_LIFE, parked: 0 });
  });

  test('become dead letters when the metadata never comes', async () => {
    const { consumer, parking } = await instanceOn(store, 'never', {}, -1);
    const sent = record('INSERT', 1, { after: { ID: 1 } });
    await post(consumer, 'never', sent);
    assert.equal(await parking.expire(), 1);
    const letters = (await store.documents('deadletters')).filter(({ stream }) => stream === 'never');
    assert.deepEqual(
      letters.map(({ reason, bytes }) => [reason, Buffer.from(String(bytes), 'base64').toString()]),
      [['no-key', JSON.stringify(sent)]],
    );
  });

  test('of a table whose metadata names no key wait on', async () => {
    const { consumer } = await instanceOn(store, 'keyless');
    const columns = { A: { type: 'string', null: true, key: false } };
    await post(consumer, 'keyless', [{ ...METADATA, columns }, record('INSERT', 1, { after: { A: 1 } })]);
    assert.equal((await contentOf('keyless')).parked, 1);
  });
});

describe('records that were parked before the settings named the key of their table', () => {
  const keys = { 'S.T': ['ID'], 'S.OTHER': ['ID'] };
  const restarted = async (stream: string, records: readonly object[]) => {
    const before = await instanceOn(store, stream);
    assert.deepEqual(countsOf(await post(before.consumer, stream, records)), { parked: records.length });
    return { before, now: await instanceOn(store, stream, { keys }, -1) };
  };

  test('are replayed by the sweep, and none becomes a dead letter', async () => {
    const { now } = await restarted('named', life());
    await sweepGoldenGate({ ...now, consumerOf: () => now.consumer });
    assert.deepEqual(await contentOf('named'), { rows: AFTER_LIFE, parked: 0 });
    await now.parking.expire();
    const letters = (await store.documents('deadletters')).filter(({ stream }) => stream === 'named');
    assert.deepEqual(letters, []);
  });

  test('are replayed before the first record of their table, which finds their columns', async () => {
    const [first, ...rest] = life();
    const { now } = await restarted('overtaken', [first ?? {}]);
    assert.deepEqual(countsOf(await post(now.consumer, 'overtaken', rest)), { applied: 3 });
    assert.deepEqual(await contentOf('overtaken'), { rows: AFTER_LIFE, parked: 0 });
  });

  test('are replayed when the store was away at the first attempt', async () => {
    const [first, ...rest] = life();
    const { now } = await restarted('away', [first ?? {}]);
    store.proxy.arm(0, 'before');
    assert.deepEqual(countsOf(await post(now.consumer, 'away', rest)), { status: 503 });
    store.proxy.disarm();
    assert.deepEqual(countsOf(await post(now.consumer, 'away', rest)), { applied: 3 });
    assert.deepEqual(await contentOf('away'), { rows: AFTER_LIFE, parked: 0 });
  });

  test('are looked for once, and those of an instance with older settings are left to the sweep', async () => {
    const [first, second, ...rest] = life();
    const { before, now } = await restarted('several', [first ?? {}]);
    const requestsFor = async (...records: object[]) => {
      const start = store.proxy.requests;
      await post(now.consumer, 'several', records);
      return store.proxy.requests - start;
    };
    await requestsFor(second ?? {});
    assert.deepEqual(countsOf(await post(before.consumer, 'several', rest)), { parked: 2 });
    const upserts = [3, 4].map((ID) => record('UPSERT', 1, { after: { ID } }));
    const [next, last] = [await requestsFor(upserts[0] ?? {}), await requestsFor(upserts[1] ?? {})];
    assert.equal(next, last);
    assert.equal((await contentOf('several')).parked, 2);
    await sweepGoldenGate({ ...now, consumerOf: () => now.consumer });
    assert.deepEqual(await contentOf('several'), { rows: { ...AFTER_LIFE, 3: { ID: 3 }, 4: { ID: 4 } }, parked: 0 });
  });
});

test('what waits is replayed, and counted, once, however many requests find the metadata at the same time', async () => {
  const { consumer } = await instanceOn(store, 'crowd');
  const bodies = Array.from({ length: 8 }, (_, request) =>
    Array.from({ length: 10 }, (_, row) => record('INSERT', 1, { after: { ID: request * 10 + row } })),
  );
  await Promise.all(
    [...bodies.slice(0, 6), [METADATA], ...bodies.slice(6)].map((body) => post(consumer, 'crowd', body)),
  );
  const { rows, parked } = await contentOf('crowd');
  assert.deepEqual([Object.keys(rows).length, parked], [80, 0]);
  const counts = (await store.documents('cursors')).find(({ stream }) => stream === 'crowd')?.counts;
  const { applied, duplicate } = counts as Record<string, number>;
  assert.deepEqual({ applied, duplicate }, { applied: 80, duplicate: 0 });
});

describe('a request that dies', () => {
  /** Bodies of one life: parked first, then metadata, more rows, a statement, and a record that is bad. */
  const ddl = {
    op_type: 'DDL',
    op_ts: '2026-01-01T00:00:02Z',
    xid: '1',
    pos: 'G-D',
    ddl: { object: { schema: 'S', object: 'T' } },
  };
  const bodies = (records: readonly object[]): readonly object[][] => [
    records.slice(0, 2),
    [METADATA, ...records.slice(2), ddl, { op_type: 'WHAT', qual_table: 'S.T' }],
    [METADATA],
  ];

  test('at any write and comes again ends in the same documents, and every answer is 200 or 503', async () => {
    const content = async (stream: string) => {
      const of = async (name: 'rows' | 'changes' | 'parked' | 'catalog' | 'deadletters') =>
        (await store.documents(name)).filter((each) => each.stream === stream);
      const changes = (await of('changes')).map(({ op, key, before: old, after: image }) =>
        JSON.stringify({ op, key: op === 'ddl' ? '-' : key, old, image }),
      );
      return {
        ...(await contentOf(stream)),
        changes: changes.sort(),
        catalog: (await of('catalog')).map(({ kind, key, stale }) => ({ kind, key, stale })),
        deadLetters: (await of('deadletters')).map(({ reason }) => reason),
      };
    };
    const send = async (stream: string, records: readonly object[]) => {
      const { consumer } = await instanceOn(store, stream);
      for (const body of bodies(records)) {
        const { status } = await post(consumer, stream, body);
        if (status !== 200) return status;
      }
      return 200;
    };
    store.proxy.disarm();
    assert.equal(await send('undisturbed', life()), 200);
    const total = store.proxy.writes;
    const expected = await content('undisturbed');
    assert.deepEqual([expected.rows, expected.parked, expected.deadLetters], [AFTER_LIFE, 0, ['unknown-operation']]);
    assert.ok(total > 15, `${total} writes`);
    for (const { writes, death } of deaths(total)) {
      const stream = `death-${death}-${writes}`;
      const records = life();
      store.proxy.arm(writes, death);
      const status = await send(stream, records);
      store.proxy.disarm();
      // A counter is saved last, after everything else is durable.
      assert.equal(status, 503, stream);
      assert.equal(await send(stream, records), 200);
      assert.deepEqual(await content(stream), expected, stream);
    }
  });

  test('while it parks more than one request to the store takes, and comes again, is replayed in its order', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => n);
    for (const refused of [0, 1]) {
      const stream = `refused${refused}`;
      const body = [
        ...ids.map((ID) => record('INSERT', 1, { after: { ID, A: 'old', B: 'b' } })),
        ...ids.map((ID) => record('UPDATE', 1, { before: { ID, A: 'old' }, after: { ID, A: 'new' } })),
        ...ids.map((ID) => record('UPDATE', 2, { before: { ID }, after: { ID: ID + 100 } })),
      ];
      // Whatever else is under way gets through.
      store.proxy.refuseOne(refused);
      await post((await instanceOn(store, stream)).consumer, stream, body);
      store.proxy.disarm();
      const { consumer } = await instanceOn(store, stream);
      assert.deepEqual(countsOf(await post(consumer, stream, body)), { parked: body.length });
      await post(consumer, stream, METADATA);
      const moved = ids.flatMap((ID) => [
        [ID, 'deleted'],
        [ID + 100, { ID: ID + 100, A: 'new', B: 'b' }],
      ]);
      assert.deepEqual(await contentOf(stream), { rows: Object.fromEntries(moved), parked: 0 }, stream);
    }
  });
});
