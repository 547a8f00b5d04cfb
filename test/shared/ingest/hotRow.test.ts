import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Deadline, TimeIsUpError } from '../../../shared/body/deadline.ts';
import type { NormalizedChange } from '../../../shared/change/change.ts';
import { ArrivalPipeline, type PendingChange } from '../../../shared/ingest/arrival.ts';
import { ArrivalRecorder } from '../../../shared/ingest/arrivalRecorder.ts';
import { arrivalClockOf, arrivalText, arrivalToken, withArrivalClock } from '../../../shared/ingest/arrivalToken.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import type { RecordedChange } from '../../../shared/ingest/recorders.ts';
import { RequestClock } from '../../../shared/ingest/requestClock.ts';
import { rowName } from '../../../shared/ingest/rowName.ts';
import type { Store } from '../../../shared/store/store.ts';
import { deaths } from '../deaths.ts';
import { instanceOn } from '../goldengate/consumerOn.ts';
import { record } from '../goldengate/records.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { PendingTable, request } from './arrivals.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore({ blobs: true });
});
after(() => store.close());

const NOON = Date.UTC(2026, 0, 1, 12);
const MEGABYTE = 1_000_000;

async function ingest(changes: readonly PendingChange[], clockMs = NOON, on = store): Promise<string[]> {
  const opened = await on.open();
  const arrivals = new ArrivalPipeline(opened, new Pipeline(opened, on.config));
  const outcomes = await arrivals.ingest('goldengate', 's', request(changes), new RequestClock(clockMs));
  return outcomes.map(({ outcome }) => outcome);
}

async function contentOf({ table }: PendingTable, on = store) {
  const rows = (await on.documents('rows')).filter((row) => row.table === table);
  const changes = (await on.documents('changes')).filter((change) => change.table === table);
  return { rows: Object.fromEntries(rows.map((row) => [row.id, row.deleted ? 'deleted' : row.row])), changes };
}

function isUpdateOfOne(key: unknown, op: unknown): boolean {
  return key === '1' && op === 'update';
}

function updates(table: PendingTable, count: number): PendingChange[] {
  return Array.from({ length: count }, (_, n) => table.put(`p${n}`, 1, { id: 1, v: n }));
}

describe('arrivals', () => {
  test('come out as if each change had been recorded alone, whatever was known', async () => {
    const opened = await store.open();
    const change = fc.record({ row: fc.nat(1), name: fc.nat(40), known: fc.constantFrom(-1, -1, -1, 0, 1, 7) });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 60 }), fc.nat(3), async (plan, shown) => {
        run++;
        const results = await Promise.all(
          (['alone', 'together'] as const).map(async (how) => {
            const table = new PendingTable(`${how} ${run}`);
            const changes = plan.map(({ row, name }, at) => settledAt(table, row, `${row} ${name}`, NOON, at));
            const before = plan.flatMap(({ row, name, known }, at) =>
              known < 0 ? [] : [settledAt(table, row, `${row} ${name}`, NOON + known, at)],
            );
            await opened.changes.record(before);
            const clocks = new Map([[rowName(table.table, '1'), NOON + shown]]);
            const recorded =
              how === 'alone'
                ? await oneByOne(opened, changes, clocks)
                : await new ArrivalRecorder(opened.changes, clocks, () => undefined).record(changes);
            const stored = (await opened.changes.recorded(changes)).map((document) => document?.token);
            return { recorded: recorded.map(({ change: { key, token }, result }) => [key, token, result]), stored };
          }),
        );
        assert.deepEqual(results[1], results[0]);
      }),
      { numRuns: 10 },
    );
  });
});

describe('many changes of one row', () => {
  test('end in the same rows and changes whichever write the process dies at, and whether that write got through', async () => {
    const scenario = (table: PendingTable) => [
      ...updates(table, 130),
      table.put('other', 1, { id: 2, v: 'other' }),
      table.delete('gone', 1, 1),
      ...updates(table, 12),
      ...Array.from({ length: 12 }, (_, n) => table.put(`q${n}`, 1, { id: 1, w: n })),
    ];
    const outcome = async (table: PendingTable) => {
      const { rows, changes } = await contentOf(table);
      return { rows, changes: changes.map(({ key, op, after: image }) => JSON.stringify({ key, op, image })).sort() };
    };
    store.proxy.disarm();
    const undisturbed = new PendingTable('undisturbed');
    await ingest(scenario(undisturbed));
    const total = store.proxy.writes;
    const expected = await outcome(undisturbed);
    assert.deepEqual(expected.rows, { 1: { id: 1, w: 11 }, 2: { id: 2, v: 'other' } });
    for (const { writes, death } of deaths(total)) {
      const table = new PendingTable(`hot death ${death} write ${writes}`);
      store.proxy.arm(writes, death);
      await assert.rejects(ingest(scenario(table)), { name: 'StoreUnavailableError' });
      store.proxy.disarm();
      const left = (await contentOf(table)).changes.filter(({ key, op }) => isUpdateOfOne(key, op));
      const inOrder = new Set(
        scenario(table).flatMap(({ key, op, origin }) => (isUpdateOfOne(key, op) ? [origin.pos] : [])),
      );
      assert.deepEqual(
        left.map(({ origin }) => (origin as { pos: string }).pos).sort(),
        [...inOrder].slice(0, left.length).sort(),
        `a beginning, ${death} write ${writes}`,
      );
      await ingest(scenario(table), NOON - 5_000);
      assert.deepEqual(await outcome(table), expected, `${death} write ${writes}`);
    }
  });

  test('may be large: some too large for a request with others, some for a document, and one for the store', async () => {
    const table = new PendingTable('large');
    const small = updates(table, 12);
    const big = Array.from({ length: 6 }, (_, n) =>
      table.put(`b${n}`, 1, { id: 1, big: 'x'.repeat(0.4 * MEGABYTE), n }),
    );
    const huge = table.put('huge', 1, { id: 1, huge: 'y'.repeat(2.5 * MEGABYTE) });
    const parts = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`c${n}`, 'z'.repeat(900)]));
    const impossible = table.put('impossible', 1, { id: 1, ...parts });
    const changes = [
      ...small,
      ...big,
      huge,
      impossible,
      ...Array.from({ length: 12 }, (_, n) => table.put(`e${n}`, 1, { id: 1, end: n })),
    ];
    const outcomes = await ingest(changes);
    assert.deepEqual(
      outcomes.map((outcome, at) => [changes[at]?.origin.pos, outcome]),
      changes.map(({ origin: { pos } }) => [pos, pos === 'impossible' ? 'deadLettered' : 'applied']),
    );
    const { rows, changes: recorded } = await contentOf(table);
    const { huge: pointer, big: text, ...rest } = rows[1] as Record<string, unknown>;
    assert.deepEqual([rest, String(text).length, typeof pointer], [{ id: 1, v: 11, n: 5, end: 11 }, 400_000, 'object']);
    assert.equal(recorded.length, changes.length - 1);
  });

  test('get in however little the store takes in a second', async () => {
    const throttled = await startTestStore({ requestUnitsPerSecond: 1_000 });
    try {
      const table = new PendingTable('throttled');
      const changes = [
        ...updates(table, 300),
        ...Array.from({ length: 30 }, (_, id) => table.put(`o${id}`, 1, { id: id + 2 })),
      ];
      assert.deepEqual(await ingest(changes, NOON, throttled), Array(330).fill('applied'));
      assert.deepEqual((await contentOf(table, throttled)).rows[1], { id: 1, v: 299 });
    } finally {
      await throttled.close();
    }
  });

  test('are counted where they were throttled', async () => {
    const throttled = await startTestStore({ requestUnitsPerSecond: 400 });
    try {
      const opened = await throttled.open();
      const arrivals = new ArrivalPipeline(opened, new Pipeline(opened, throttled.config));
      const changes = updates(new PendingTable('metered'), 300);
      await arrivals.ingest('goldengate', 's', request(changes), new RequestClock(NOON));
      const { requestUnits, throttled: refused } = opened.meter;
      assert.ok(requestUnits > 1_000 && refused > 0, `${requestUnits} RU, ${refused} throttled`);
    } finally {
      await throttled.close();
    }
  });

  test('take few requests, the first time and again', async () => {
    const table = new PendingTable('few');
    const changes = updates(table, 2_000);
    const requestsOf = async (outcome: string) => {
      const before = store.proxy.requests;
      assert.deepEqual(await ingest(changes, NOON), Array(2_000).fill(outcome));
      return store.proxy.requests - before;
    };
    const [first, again] = [await requestsOf('applied'), await requestsOf('duplicate')];
    assert.deepEqual((await contentOf(table)).rows, { 1: { id: 1, v: 1_999 } });
    // A hundred in a request, and a few requests for the row, and for what a new client asks about the containers.
    assert.ok(first <= 35 && again <= 35, `${first}, again ${again}`);
  });

  test('in a request that is cut off again and again are all in after a few of them', async () => {
    class Looks extends Deadline {
      #left = 10;
      override check(): void {
        if (this.#left-- === 0) throw new TimeIsUpError('the request took too long');
      }
    }
    const stream = 'cut-off';
    const body = Buffer.from(
      JSON.stringify(Array.from({ length: 2_000 }, (_, A) => record('UPDATE', 1, { after: { ID: 1, A } }))),
    );
    const send = async () => {
      const { consumer } = await instanceOn(store, stream, { keys: { 'S.T': ['ID'] } });
      const header = (name: string) => (name === 'content-length' ? String(body.byteLength) : null);
      return (await consumer.ingest({ stream, header, body: async () => body }, new Looks(60_000))).length;
    };
    let answer: unknown;
    let sendings = 0;
    do {
      answer = await send().catch((error: unknown) => error);
      sendings++;
    } while (answer instanceof TimeIsUpError && sendings < 20);
    assert.equal(answer, 2_000);
    assert.ok(sendings > 2, 'it was cut off');
    const rows = (await store.documents('rows')).filter((row) => row.stream === stream);
    assert.deepEqual(
      rows.map(({ row }) => row),
      [{ ID: 1, A: 1_999 }],
    );
  });
});

/** A change of row 0 or 1 as it comes to the recorder. */
function settledAt(table: PendingTable, row: number, pos: string, clockMs: number, at: number): NormalizedChange {
  const { order, ...change } = table.put(pos, 1, { id: row, v: at });
  return { ...change, token: arrivalToken(order, arrivalText(clockMs, at)) };
}

/** What the recorder stands for, said the slow way. */
async function oneByOne(opened: Store, changes: readonly NormalizedChange[], clocks: Map<string, number>) {
  const recorded: RecordedChange[] = [];
  for (const change of changes) {
    const row = rowName(change.table, change.key);
    const least = clocks.get(row) ?? 0;
    const token = arrivalClockOf(change.token) < least ? withArrivalClock(change.token, least) : change.token;
    const [result = 'created'] = await opened.changes.record([{ ...change, token }]);
    const [first] = result === 'known' ? await opened.changes.recorded([change]) : [];
    recorded.push({ change: { ...change, token: first?.token ?? token }, result });
    const shown = arrivalClockOf(first?.token ?? token) + (result === 'known' ? 1 : 0);
    clocks.set(row, Math.max(least, shown));
  }
  return recorded;
}
