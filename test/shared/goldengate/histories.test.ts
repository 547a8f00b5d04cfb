import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { GoldenGateStream } from '../../../shared/config.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { countsOf, instanceOn, post } from './consumerOn.ts';
import { type Change, FRAMINGS, type Key, MODELS, metadata, type Row } from './models.ts';

/**
 * Random histories of a small table, rendered in every model and framing, cut into requests anywhere, in their order or in
 * any, some of them sent again later: what is in the store in the end is what a plain map says, every time.
 */
const RUNS = Number(process.env.GOLDENGATE_RUNS ?? 12);

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const step = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constant('put') },
    { weight: 3, arbitrary: fc.constant('delete') },
    { weight: 3, arbitrary: fc.constant('move') },
    { weight: 1, arbitrary: fc.constantFrom('upsert', 'truncate') },
  ),
  row: fc.integer({ min: 1, max: 4 }),
  to: fc.integer({ min: 1, max: 4 }),
  column: fc.constantFrom('A', 'B', 'C'),
  value: fc.oneof(fc.constant(null), fc.string({ maxLength: 3 }), fc.integer(), fc.constant('\u0000')),
  /** Operations of one second have nothing but their order. */
  pause: fc.integer({ min: 0, max: 1 }),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The values of the key, for rows 1 to 4: of a composite, rows share a value of either column. */
const KEYS: readonly { readonly names: Key; readonly of: (row: number) => Readonly<Record<string, number>> }[] = [
  { names: ['ID'], of: (row) => ({ ID: row }) },
  { names: ['NR', 'LINE'], of: (row) => ({ LINE: row % 2, NR: Math.ceil(row / 2) }) },
];

interface Rules {
  readonly key: (typeof KEYS)[number];
  /** Whether requests may overtake each other, so that only their times tell the order of changes. */
  readonly isUnordered: boolean;
  readonly hasMoves: boolean;
}

/** The history, and what it leaves: id -> row, null for a row that is gone. */
function play(steps: readonly Step[], { key, isUnordered, hasMoves }: Rules) {
  const rows = new Map<number, Row | null>();
  const changes: Change[] = [];
  let second = 0;
  for (const { kind, row: id, to, column, value, pause } of steps) {
    const isTruncation = kind === 'truncate';
    second += isUnordered ? 1 : pause;
    const row = rows.get(id) ?? null;
    if (isTruncation) {
      for (const each of rows.keys()) rows.set(each, null);
      changes.push({ op: 'T', second, before: null, after: null });
    } else if (row === null) {
      const fresh = { ...key.of(id), A: null, B: null, C: null, [column]: value };
      rows.set(id, fresh);
      changes.push({ op: kind === 'upsert' ? 'UPSERT' : 'I', second, before: null, after: fresh });
    } else if (kind === 'delete') {
      rows.set(id, null);
      changes.push({ op: 'D', second, before: row, after: null });
    } else {
      const isMove = hasMoves && kind === 'move' && (rows.get(to) ?? null) === null;
      const now = isMove ? to : id;
      const changed = { ...row, ...key.of(now), [column]: value };
      if (isMove) rows.set(id, null);
      rows.set(now, changed);
      changes.push({ op: kind === 'upsert' ? 'UPSERT' : 'U', second, before: row, after: changed });
    }
  }
  const idOf = (row: number) => key.names.map((name) => key.of(row)[name]).join();
  return { rows: Object.fromEntries([...rows].map(([row, image]) => [idOf(row), image])), changes };
}

const how = fc.record({
  model: fc.constantFrom(...MODELS),
  key: fc.constantFrom(...KEYS),
  framing: fc.constantFrom(...FRAMINGS),
  isGzipped: fc.boolean(),
  cuts: fc.array(fc.nat({ max: 30 }), { maxLength: 4 }),
  /** Requests that are sent again at the end, by their number. */
  again: fc.array(fc.nat({ max: 4 }), { maxLength: 3 }),
  /** Number of changes that come before the metadata. */
  early: fc.nat({ max: 8 }),
  /** Where each request stands among the others when they overtake each other; null when they do not. */
  places: fc.option(fc.array(fc.nat(), { minLength: 5, maxLength: 5 }), { freq: 1 }),
  order: fc.constantFrom<GoldenGateStream['order']>('op_ts', 'arrival'),
});

type How = typeof how extends fc.Arbitrary<infer Value> ? Value : never;

/** The requests that bring `changes`, in the order in which they are sent. */
function requestsOf(changes: readonly Change[], { model, key, early, cuts, places, again }: How) {
  const rendered = changes.flatMap((change, at) => [...model.render(change, at, key.names)]);
  const records: object[] = rendered.toSpliced(early, 0, metadata(key.names));
  const bounds = [0, ...cuts.map((cut) => cut % records.length).sort((a, b) => a - b), records.length];
  const requests = bounds.slice(1).map((end, index) => ({ batch: records.slice(bounds[index], end), index }));
  if (places !== null) requests.sort((a, b) => (places[a.index] ?? 0) - (places[b.index] ?? 0));
  const repeated = again.map((number) => requests[number % requests.length]);
  return [...requests, ...repeated].flatMap((request) => (request?.batch.length ? [request.batch] : []));
}

let streams = 0;

test('a history ends in the same rows however it is rendered, framed, cut, repeated, delayed and shuffled', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), how, async (steps, choice) => {
      const { key, model, places, framing, isGzipped } = choice;
      const isUnordered = places !== null;
      const order = isUnordered ? 'op_ts' : choice.order;
      const { rows, changes } = play(steps, {
        key,
        isUnordered,
        // What has moved takes no older changes along: then only images of every column tell the whole row.
        hasMoves: !isUnordered || model.isFull,
      });
      const stream = `h${streams++}`;
      const { consumer } = await instanceOn(store, stream, { order, truncate: 'apply' });
      for (const batch of requestsOf(changes, choice)) {
        const text = framing(batch);
        const body = isGzipped ? gzipSync(text) : text;
        const answer = await post(consumer, stream, body, isGzipped ? { 'content-encoding': 'gzip' } : {});
        assert.deepEqual([answer.status, countsOf(answer).deadLettered], [200, undefined], text);
      }
      const stored = (await store.documents('rows')).filter((row) => row.stream === stream);
      const found = stored.map((row): [string, unknown] => [String(row.id), row.deleted ? null : row.row]);
      // Of a row that a truncation has met before any of its changes there is not even a tombstone.
      const hasTruncation = changes.some(({ op }) => op === 'T');
      const gone = Object.keys(rows).map((id): [string, null] => [id, null]);
      assert.deepEqual(Object.fromEntries([...(hasTruncation ? gone : []), ...found]), rows);
    }),
    { numRuns: RUNS },
  );
});
