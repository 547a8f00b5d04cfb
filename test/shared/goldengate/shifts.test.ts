import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { startTestStore, type TestStore } from '../testStore.ts';
import { instanceOn, post } from './consumerOn.ts';
import { classic } from './records.ts';

/** Statements that move many rows over each other, in whatever order the database went through them. */
const RUNS = Number(process.env.SHIFT_RUNS ?? 10);
const ROWS = 7;

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const statement = fc.record({
  from: fc.integer({ min: 1, max: ROWS }),
  rows: fc.integer({ min: 1, max: ROWS }),
  /** 0 for any new place at all, instead of a shift. */
  shift: fc.constantFrom(-2, -1, 0, 1, 1, 2),
  order: fc.constantFrom('up', 'down', 'any' as const),
  /** Seconds since the statement before; without a transaction id, those of one second count as one transaction. */
  pause: fc.integer({ min: 0, max: 1 }),
  shuffle: fc.array(fc.nat(99), { minLength: 2 * ROWS, maxLength: 2 * ROWS }),
});
type Statement = typeof statement extends fc.Arbitrary<infer Each> ? Each : never;

interface Move {
  readonly statement: number;
  readonly second: number;
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** What SQL does: every statement moves all its rows at once, and fails as a whole where two would share a key. */
function play(statements: readonly Statement[]) {
  let rows = new Map(Array.from({ length: ROWS }, (_, n) => [n + 1, `row ${n + 1}`]));
  const moves: Move[] = [];
  let second = 2;
  statements.forEach(({ from, rows: many, shift, order, pause, shuffle }, at) => {
    second += pause;
    const chosen = [...rows.keys()].filter((id) => id >= from && id < from + many).sort((a, b) => a - b);
    const places = shuffled(chosen, shuffle);
    const moved = chosen.map((id, n) => ({ from: id, to: shift === 0 ? (places[n] ?? id) : id + shift }));
    const staying = [...rows].filter(([id]) => !chosen.includes(id));
    const next = new Map([...staying, ...moved.map((each) => [each.to, rows.get(each.from) ?? ''] as const)]);
    if (next.size < rows.size) return;
    const ordered =
      order === 'up' ? moved : order === 'down' ? moved.toReversed() : shuffled(moved, shuffle.slice(ROWS));
    for (const each of ordered) {
      if (each.from !== each.to) moves.push({ ...each, statement: at, second, name: rows.get(each.from) ?? '' });
    }
    rows = next;
  });
  return { rows, moves };
}

function shuffled<Item>(items: readonly Item[], keys: readonly number[]): Item[] {
  return items
    .map((item, at) => ({ item, key: keys[at] ?? 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

test('rows that statements move over each other end where SQL puts them, with and without transaction ids', async () => {
  let run = 0;
  const history = fc.array(statement, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(history, fc.constantFrom(3, 5, 1_000), fc.boolean(), async (statements, perFrame, hasIds) => {
      const stream = `shift${run++}`;
      const { rows, moves } = play(statements);
      let pos = 0;
      const sent = [
        ...Array.from({ length: ROWS }, (_, n) =>
          classic('I', String(pos++), { after: { ID: n + 1, A: `row ${n + 1}`, B: 'all alike' } }),
        ),
        ...moves.map(({ statement: at, second, from, to, name }) => ({
          ...classic('U', String(pos++), {
            before: { ID: from, A: name, B: 'all alike' },
            after: { ID: to, A: name, B: 'all alike' },
          }),
          op_ts: `2026-01-01 00:00:${String(second).padStart(2, '0')}.000000`,
          ...(hasIds ? { xid: `tx ${at}` } : {}),
        })),
      ];
      const { consumer } = await instanceOn(store, stream);
      for (let at = 0; at < sent.length; at += perFrame) {
        const frame = sent.slice(at, at + perFrame);
        assert.equal((await post(consumer, stream, frame)).status, 200);
        // What comes again changes nothing.
        if (at % 2 === 1) await post(consumer, stream, frame);
      }
      const stored = (await store.documents('rows')).filter((row) => row.stream === stream && row.deleted !== true);
      assert.deepEqual(new Map(stored.map(({ id, row }) => [Number(id), (row as { A: string }).A])), rows);
    }),
    { numRuns: RUNS },
  );
});
