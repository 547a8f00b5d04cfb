/** How a change looks in every model, and what its records look like on the wire. */

export type Row = Readonly<Record<string, unknown>>;

/** A change with full images; what a model shows of them is the model's business. A truncation has none. */
export interface Change {
  readonly op: 'I' | 'U' | 'D' | 'UPSERT' | 'T';
  readonly second: number;
  readonly before: Row | null;
  readonly after: Row | null;
}

/** The columns of the table's key, in their order; all others can be null. */
export type Key = readonly string[];

type Model = (change: Change, at: number, key: Key) => Iterable<object>;

const COLUMNS = ['A', 'B', 'C'];
const WORDS = { I: 'INSERT', U: 'UPDATE', D: 'DELETE', UPSERT: 'UPSERT', T: 'TRUNCATE' } as const;

export function metadata(key: Key): object {
  const described = (names: Key, type: string, isKey: boolean) =>
    names.map((name) => [name, { type, null: !isKey, key: isKey }]);
  const columns = Object.fromEntries([...described(key, 'number', true), ...described(COLUMNS, 'string', false)]);
  return { op_type: 'OBJECT_METADATA', qual_table: 'S.T', columns };
}

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
function compact({ before: old, after: image, ...rest }: Change, at: number, key: Key): object {
  if (old === null || image === null) return dataStream({ ...rest, before: old, after: image }, at);
  const changed = Object.entries(image).filter(([name, value]) => key.includes(name) || old[name] !== value);
  const before = Object.fromEntries(key.map((name) => [name, old[name]]));
  return dataStream({ ...rest, before, after: Object.fromEntries(changed) }, at);
}

function classic({ op, second, before: old, after: image }: Change, at: number, key: Key): object {
  const header = {
    table: 'S.T',
    op_type: op,
    op_ts: `${time(second).replace('T', ' ')}.000000`,
    pos: String(at).padStart(20, '0'),
  };
  return { before: old, after: image, ...header, tokens: { txid: `${second}` }, primary_keys: key };
}

/** Without before images a key change comes as a delete and an insert at one position. */
function* rowModel(change: Change, at: number, key: Key): Generator<object> {
  const { before: old, after: image, ...rest } = classic(change, at, key) as { before: Row | null; after: Row | null };
  if (old !== null && image !== null && key.some((name) => old[name] !== image[name])) {
    yield { ...rest, op_type: 'D', ...old };
    yield { ...rest, op_type: 'I', ...image };
  } else yield { ...rest, ...(image ?? old) };
}

function missing(change: Change, at: number, key: Key): object {
  const { before: old, after: image, ...rest } = compact(change, at, key) as { before?: Row; after?: Row };
  const withHelpers = (row: Row | undefined) => {
    if (row === undefined) return {};
    const all = [...key, ...COLUMNS].map((name) => [
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

function strings(change: Change, at: number, key: Key): object {
  const text = JSON.stringify(dataStream(change, at), (name, value) => (key.includes(name) ? String(value) : value));
  return JSON.parse(text);
}

/** Models whose images name every column. */
const FULL: readonly Model[] = [
  (change, at) => [dataStream(change, at)],
  (...each) => [classic(...each)],
  rowModel,
  (change, at) => [flattened(change, at)],
  (...each) => [strings(...each)],
];

const PARTIAL: readonly Model[] = [(...each) => [compact(...each)], (...each) => [missing(...each)]];

export const MODELS: readonly { readonly render: Model; readonly isFull: boolean }[] = [
  ...FULL.map((render) => ({ render, isFull: true })),
  ...PARTIAL.map((render) => ({ render, isFull: false })),
];

const cloudEvent = (data: object, id: number) => ({
  specversion: '1.0',
  type: 't',
  source: 's',
  id: `OGG-${id}`,
  data,
});

export const FRAMINGS: readonly ((records: readonly object[]) => string)[] = [
  (records) => JSON.stringify(records),
  (records) => JSON.stringify(records, null, 2),
  (records) => records.map((each) => JSON.stringify(each)).join('\n'),
  (records) => `\ufeff${records.map((each) => JSON.stringify(each)).join('')}`,
  (records) => JSON.stringify({ records: records.map((value) => ({ key: null, value })) }),
  (records) => JSON.stringify(records.map((payload) => ({ schema: { type: 'struct' }, payload }))),
  (records) => JSON.stringify(records.map(cloudEvent)),
  (records) => JSON.stringify({ records: records.map((each, id) => ({ key: null, value: cloudEvent(each, id) })) }),
];
