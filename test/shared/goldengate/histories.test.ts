import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { GoldenGateStream } from '../../../shared/config.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { countsOf, instanceOn, post } from './consumerOn.ts';
import { METADATA } from './records.ts';

/**
 * Random histories of a small table, rendered in every model and framing, cut into requests anywhere, some of them sent
 * again later: what is in the store in the end is what a plain map says, every time.
 */
const RUNS = Number(process.env.GOLDENGATE_RUNS ?? 12);

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

type Row = Readonly<Record<string, unknown>>;

/** A change with full images; what a model shows of them is the model's business. */
interface Change {
  readonly op: 'I' | 'U' | 'D';
  readonly second: number;
  readonly before: Row | null;
  readonly after: Row | null;
}

const step = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'delete', 'move'),
  id: fc.integer({ min: 1, max: 4 }),
  to: fc.integer({ min: 1, max: 4 }),
  column: fc.constantFrom('A', 'B', 'C'),
  value: fc.oneof(fc.constant(null), fc.string({ maxLength: 3 }), fc.integer(), fc.constant('\u0000')),
  /** Operations of one second have nothing but their order. */
  pause: fc.integer({ min: 0, max: 1 }),
});

/** The history, and what it leaves: id -> row, null for a row that is gone. */
function play(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
  const rows = new Map<number, Row | null>();
  const changes: Change[] = [];
  let second = 0;
  for (const { kind, id, to, column, value, pause } of steps) {
    second += pause;
    const row = rows.get(id) ?? null;
    if (row === null) {
      const fresh = { ID: id, A: null, B: null, C: null, [column]: value };
      rows.set(id, fresh);
      changes.push({ op: 'I', second, before: null, after: fresh });
    } else if (kind === 'delete') {
      rows.set(id, null);
      changes.push({ op: 'D', second, before: row, after: null });
    } else {
      const isMove = kind === 'move' && (rows.get(to) ?? null) === null;
      const changed = { ...row, ID: isMove ? to : id, [column]: value };
      if (isMove) rows.set(id, null);
      rows.set(changed.ID, changed);
      changes.push({ op: 'U', second, before: row, after: changed });
    }
  }
  return { rows, changes };
}

const WORDS = { I: 'INSERT', U: 'UPDATE', D: 'DELETE' } as const;

function time(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().slice(0, 19);
}

function dataStream({ op, second, before: old, after: image }: Change, at: number): object {
  const header = {
    qual_table: 'S.T',
    op_type: WORDS[op],
    op_ts: `${time(second)}.000000Z`,
    xid: `${second}`,
    pos: `G-${at}`,
  };
  return { ...header, ...(old === null ? {} : { before: old }), ...(image === null ? {} : { after: image }) };
}

/** The key and what changed, as a source with minimal logging shows an update. */
function compact({ before: old, after: image, ...rest }: Change, at: number): object {
  if (old === null || image === null) return dataStream({ ...rest, before: old, after: image }, at);
  const changed = Object.entries(image).filter(([name, value]) => name === 'ID' || old[name] !== value);
  return dataStream({ ...rest, before: { ID: old.ID }, after: Object.fromEntries(changed) }, at);
}

function classic({ op, second, before: old, after: image }: Change, at: number): object {
  const header = {
    table: 'S.T',
    op_type: op,
    op_ts: `${time(second).replace('T', ' ')}.000000`,
    pos: String(at).padStart(20, '0'),
  };
  return { before: old, after: image, ...header, tokens: { txid: `${second}` }, primary_keys: ['ID'] };
}

/** Without before images a key change comes as a delete and an insert at one position. */
function* rowModel(change: Change, at: number): Generator<object> {
  const { before: old, after: image, ...rest } = classic(change, at) as { before: Row | null; after: Row | null };
  if (old !== null && image !== null && old.ID !== image.ID) {
    yield { ...rest, op_type: 'D', ...old };
    yield { ...rest, op_type: 'I', ...image };
  } else yield { ...rest, ...(image ?? old) };
}

function missing(change: Change, at: number): object {
  const { before: old, after: image, ...rest } = compact(change, at) as { before?: Row; after?: Row };
  const withHelpers = (row: Row | undefined) => {
    if (row === undefined) return {};
    const all = ['ID', 'A', 'B', 'C'].map((name) => [
      [name, row[name] ?? null],
      [`${name}_isMissing`, !Object.hasOwn(row, name)],
    ]);
    return Object.fromEntries(all.flat());
  };
  return { ...rest, before: withHelpers(old), after: withHelpers(image) };
}

function flattened(change: Change, at: number): object {
  const { before: old, after: image, ...rest } = dataStream(change, at) as { before?: Row; after?: Row };
  const flat = (prefix: string, row: Row = {}) =>
    Object.entries(row).map(([name, value]) => [`${prefix}.${name}`, value]);
  return { ...rest, ...Object.fromEntries([...flat('before', old), ...flat('after', image)]) };
}

const MODELS: Readonly<Record<string, (change: Change, at: number) => Iterable<object>>> = {
  dataStream: (...each) => [dataStream(...each)],
  compact: (...each) => [compact(...each)],
  classic: (...each) => [classic(...each)],
  rowModel,
  missing: (...each) => [missing(...each)],
  flattened: (...each) => [flattened(...each)],
  strings: (...each) => [
    JSON.parse(JSON.stringify(dataStream(...each), (name, value) => (name === 'ID' ? String(value) : value))),
  ],
};

const FRAMINGS: readonly ((records: readonly object[]) => string)[] = [
  (records) => JSON.stringify(records),
  (records) => JSON.stringify(records, null, 2),
  (records) => records.map((each) => JSON.stringify(each)).join('\n'),
  (records) => `\ufeff${records.map((each) => JSON.stringify(each)).join('')}`,
  (records) => JSON.stringify({ records: records.map((value) => ({ key: null, value })) }),
  (records) => JSON.stringify(records.map((payload) => ({ schema: { type: 'struct' }, payload }))),
  (records) =>
    JSON.stringify(records.map((data, id) => ({ specversion: '1.0', type: 't', source: 's', id: `OGG-${id}`, data }))),
];

let streams = 0;

test('a history ends in the same rows however it is rendered, framed, cut, repeated and delayed', async () => {
  const how = fc.record({
    model: fc.constantFrom(...Object.keys(MODELS)),
    framing: fc.constantFrom(...FRAMINGS),
    isGzipped: fc.boolean(),
    cuts: fc.array(fc.nat({ max: 30 }), { maxLength: 4 }),
    /** Requests that are sent again at the end, by their number. */
    again: fc.array(fc.nat({ max: 4 }), { maxLength: 3 }),
    /** Number of changes that come before the metadata. */
    early: fc.nat({ max: 8 }),
    order: fc.constantFrom<GoldenGateStream['order']>('op_ts', 'arrival'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), how, async (steps, choice) => {
      const { rows, changes } = play(steps);
      const render = MODELS[choice.model] ?? MODELS.dataStream;
      const rendered = changes.flatMap((change, at) => [...(render?.(change, at) ?? [])]);
      const records: object[] = rendered.toSpliced(choice.early, 0, METADATA);
      const bounds = [0, ...choice.cuts.map((cut) => cut % records.length).sort((a, b) => a - b), records.length];
      const requests = bounds.slice(1).map((end, index) => records.slice(bounds[index], end));
      const stream = `h${streams++}`;
      const { consumer } = await instanceOn(store, stream, { order: choice.order });
      const send = async (batch: readonly object[]) => {
        if (batch.length === 0) return;
        const text = choice.framing(batch);
        const body = choice.isGzipped ? gzipSync(text) : text;
        const answer = await post(consumer, stream, body, choice.isGzipped ? { 'content-encoding': 'gzip' } : {});
        assert.deepEqual([answer.status, countsOf(answer).deadLettered], [200, undefined], text);
      };
      for (const batch of requests) await send(batch);
      for (const number of choice.again) await send(requests[number % requests.length] ?? []);
      const stored = (await store.documents('rows')).filter((row) => row.stream === stream);
      const found = stored.map((row): [string, unknown] => [String(row.id), row.deleted ? null : row.row]);
      const expected = [...rows].map(([id, row]): [string, unknown] => [String(id), row]);
      assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
    }),
    { numRuns: RUNS },
  );
});
