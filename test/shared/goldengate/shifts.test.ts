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

/** How many columns the images of a stream carry besides the key: A tells the rows apart, B says whose columns a row has. */
const IMAGES = ['whole', 'wholeBefore', 'compact', 'renaming'] as const;
type Images = (typeof IMAGES)[number];

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

/** What is known of each row before the statements: all of it, all but B, or nothing, as where a stream begins in between. */
const beginning = fc.array(fc.constantFrom('all', 'all', 'withoutB', 'nothing' as const), {
  minLength: ROWS,
  maxLength: ROWS,
});

interface Row {
  readonly a: string;
  readonly b: string;
  readonly known: 'all' | 'withoutB' | 'nothing';
}

interface Move {
  readonly statement: number;
  readonly second: number;
  readonly images: { readonly before: object; readonly after: object };
}

/** What SQL does: every statement moves all its rows at once, and fails as a whole where two would share a key. */
function play(statements: readonly Statement[], known: readonly Row['known'][], style: Images) {
  const beginnings = known.map((each, n): [number, Row] => [n + 1, { a: `a${n + 1}`, b: `b${n + 1}`, known: each }]);
  let rows = new Map(beginnings);
  const moves: Move[] = [];
  let second = 2;
  statements.forEach(({ from, rows: many, shift, order, pause, shuffle }, at) => {
    second += pause;
    const chosen = [...rows.keys()].filter((id) => id >= from && id < from + many).sort((a, b) => a - b);
    const places = shuffled(chosen, shuffle);
    const moved = chosen
      .map((id, n) => ({ from: id, to: shift === 0 ? (places[n] ?? id) : id + shift, row: rows.get(id) as Row }))
      .map((each) => ({ ...each, ...(each.from === each.to ? { next: each.row } : moveOf(each, style)) }));
    const staying = [...rows].filter(([id]) => !chosen.includes(id));
    const next = new Map([...staying, ...moved.map((each) => [each.to, each.next] as const)]);
    if (next.size < rows.size) return;
    const ordered =
      order === 'up' ? moved : order === 'down' ? moved.toReversed() : shuffled(moved, shuffle.slice(ROWS));
    for (const each of ordered) if ('images' in each) moves.push({ statement: at, second, images: each.images });
    rows = next;
  });
  return { rows, moves, beginnings };
}

/** What a stream says of a row that is moved, and the row as it is and is known then. */
function moveOf({ from, to, row }: { from: number; to: number; row: Row }, style: Images) {
  const { a, b, known } = row;
  const withoutB = known === 'all' ? known : 'withoutB';
  switch (style) {
    case 'whole':
      return {
        next: { ...row, known: 'all' } as const,
        images: { before: { ID: from, A: a, B: b }, after: { ID: to, A: a, B: b } },
      };
    case 'wholeBefore':
      return {
        next: { ...row, known: 'all' } as const,
        images: { before: { ID: from, A: a, B: b }, after: { ID: to } },
      };
    case 'compact':
      return { next: { ...row, known: withoutB } as const, images: { before: { ID: from, A: a }, after: { ID: to } } };
    case 'renaming':
      return {
        next: { a: `${a}'`, b, known: withoutB } as const,
        images: { before: { ID: from, A: a }, after: { ID: to, A: `${a}'` } },
      };
  }
}

/** The row as it is known. */
function columnsOf(id: number, { a, b, known }: Row) {
  return known === 'all' ? { ID: id, A: a, B: b } : { ID: id, A: a };
}

function shuffled<Item>(items: readonly Item[], keys: readonly number[]): Item[] {
  return items
    .map((item, at) => ({ item, key: keys[at] ?? 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

test('rows that statements move over each other end where SQL puts them with their own columns, with and without transaction ids', async () => {
  let run = 0;
  const history = fc.array(statement, { minLength: 1, maxLength: 4 });
  const framing = fc.record({ perFrame: fc.constantFrom(3, 5, 1_000), hasIds: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      history,
      beginning,
      fc.constantFrom(...IMAGES),
      framing,
      async (statements, known, style, { perFrame, hasIds }) => {
        const stream = `shift${run++}`;
        const { rows, moves, beginnings } = play(statements, known, style);
        let pos = 0;
        const sent = [
          ...beginnings
            .filter(([, row]) => row.known !== 'nothing')
            .map(([id, row]) => classic('I', String(pos++), { after: columnsOf(id, row) })),
          ...moves.map(({ statement: at, second, images }) => ({
            ...classic('U', String(pos++), images),
            op_ts: `2026-01-01 00:00:${String(second).padStart(2, '0')}.000000`,
            ...(hasIds ? { xid: `tx ${at}` } : {}),
          })),
        ];
        const { consumer } = await instanceOn(store, stream);
        for (let at = 0; at < sent.length; at += perFrame) {
          const frame = sent.slice(at, at + perFrame);
          assert.equal((await post(consumer, stream, frame)).status, 200);
          // What comes again changes nothing, at once or at the end.
          if (at % 2 === 1) await post(consumer, stream, frame);
        }
        await post(consumer, stream, sent);
        const stored = (await store.documents('rows')).filter((row) => row.stream === stream && row.deleted !== true);
        assert.deepEqual(
          new Map(stored.map(({ id, row }) => [Number(id), row])),
          new Map([...rows].filter(([, row]) => row.known !== 'nothing').map(([id, row]) => [id, columnsOf(id, row)])),
        );
      },
    ),
    { numRuns: RUNS },
  );
});
