import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { partOf } from '../../../shared/body/parts.ts';
import type { JsonValue } from '../../../shared/change/json.ts';
import { DEFAULT_GOLDENGATE_STREAM } from '../../../shared/config.ts';
import { NestedPart } from '../../../shared/goldengate/nestedPart.ts';
import { GoldenGateReplayer } from '../../../shared/goldengate/replay.ts';
import { ArrivalPipeline } from '../../../shared/ingest/arrival.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { countsOf, instanceOn, post } from './consumerOn.ts';
import { classic, cloudEvent, METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

let streams = 0;

interface Kept {
  readonly position: { readonly [name: string]: JsonValue };
  readonly receivedAt: string;
  readonly arrival: string;
}

/** A stream of its own, and what the store has of it. */
async function newStream() {
  const stream = `envelopes${streams++}`;
  const instance = await instanceOn(store, stream);
  const of = async (name: 'rows' | 'changes' | 'parked' | 'deadletters') =>
    (await store.documents(name)).filter((each) => each.stream === stream);
  const bytesOf = async (name: 'parked' | 'deadletters') =>
    (await of(name)).map(({ bytes }) => Buffer.from(String(bytes), 'base64').toString()).sort();
  const rows = async () => Object.fromEntries((await of('rows')).map((row) => [row.id, row.row]));
  const events = async () =>
    Object.fromEntries(
      (await of('changes')).map(({ key, origin }) => [key, (origin as { cloudEvent?: object }).cloudEvent]),
    );
  const send = (body: object | string, headers?: Readonly<Record<string, string>>) =>
    post(instance.consumer, stream, body, headers);
  /** Replays every dead letter, and takes away nothing. */
  const replay = async () => {
    const opened = await store.open();
    const arrivals = new ArrivalPipeline(opened, new Pipeline(opened, store.config));
    const { parking, truncations } = instance;
    const parts = { arrivals, parking, truncations, catalog: opened.catalog, limits: store.config.limits };
    const replayer = new GoldenGateReplayer(stream, DEFAULT_GOLDENGATE_STREAM, parts);
    const outcomes = [];
    for (const letter of await of('deadletters')) {
      const { position, receivedAt, arrival } = letter as unknown as Kept;
      const bytes = Buffer.from(String(letter.bytes), 'base64');
      const dead = { position, bytes, arrival, receivedAt, reason: 'no-key' as const, pieces: [] };
      outcomes.push(...(await replayer.replay(dead)));
    }
    return outcomes.map(({ outcome }) => outcome);
  };
  return { ...instance, stream, of, bytesOf, rows, events, send, replay };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const event = cloudEvent('OGG-1', {});
const { data: _, ...ATTRIBUTES } = event;

/** Everything that a list may come in, given the texts of its elements. */
const ENVELOPES: readonly [string, (texts: readonly string[]) => string][] = [
  ['a CloudEvent', (texts) => withData('data', `[${texts}]`)],
  ['the text of a CloudEvent', (texts) => withData('data', JSON.stringify(`[${texts}]`))],
  ['lines in the text of a CloudEvent', (texts) => withData('data', JSON.stringify(texts.join('\n')))],
  ['the base64 of a CloudEvent', (texts) => withData('data_base64', JSON.stringify(base64(`[${texts}]`)))],
  ['a Kafka value', (texts) => `{"records":[{"key":null,"value":[${texts}]}]}`],
  ['the text of a Kafka value', (texts) => `{"records":[{"value":${JSON.stringify(`[${texts}]`)}}]}`],
  ['a Connect payload', (texts) => `{"schema":null,"payload":[${texts}]}`],
  ['a list', (texts) => `[[${texts}]]`],
  ['a list of lists', (texts) => `[[${texts.map((text) => `[${text}]`)}]]`],
  ['Kafka values in a Kafka value', (texts) => `[{"value":[${texts.map((text) => `{"value":${text}}`)}]}]`],
  [
    'CloudEvents in a Kafka value',
    (texts) => `{"records":[{"value":[${texts.map((each) => withData('data', each))}]}]}`,
  ],
];

function withData(name: string, json: string): string {
  return `${JSON.stringify(ATTRIBUTES).slice(0, -1)},"${name}":${json}}`;
}

describe('a list in an envelope says what the list alone says:', () => {
  const digits = '12345678901234567890123456789012345678';
  const texts = [
    METADATA,
    record('INSERT', 1, { after: { ID: 1, A: 'a' } }),
    record('FROB', 1, { after: { ID: 1 } }),
    { ...record('INSERT', 2, { after: { ID: 2 } }), qual_table: 'S.UNKNOWN' },
    record('INSERT', 3, { after: { ID: 'digits', A: 'x\u0000é' } }),
    [],
    7,
    null,
    record('UPDATE', 4, { after: { ID: 1, B: 'b' } }),
  ].map((each) => JSON.stringify(each).replace('"digits"', digits));

  for (const [name, wrap] of ENVELOPES) {
    test(name, async () => {
      const [plain, wrapped] = [await newStream(), await newStream()];
      assert.deepEqual(countsOf(await wrapped.send(wrap(texts))), countsOf(await plain.send(`[${texts}]`)));
      assert.deepEqual(await wrapped.rows(), { 1: { ID: 1, A: 'a', B: 'b' }, [digits]: { ID: digits, A: 'x\u0000é' } });
      assert.deepEqual(await wrapped.rows(), await plain.rows());
      const isInEvent = name.includes('CloudEvent');
      assert.deepEqual((await wrapped.events())['1'], isInEvent ? ATTRIBUTES : undefined);
      if (name.includes(' in ')) return;
      // Each is kept for itself.
      assert.deepEqual(await wrapped.bytesOf('deadletters'), await plain.bytesOf('deadletters'));
      assert.deepEqual(await wrapped.bytesOf('parked'), await plain.bytesOf('parked'));
    });
  }

  test('as often as the answer to one that is too long', async () => {
    const limit = store.config.limits.recordsPerRequest;
    const first = [METADATA, ...Array.from({ length: 600 }, (_, ID) => record('INSERT', 1, { after: { ID } }))];
    const bodyOf = (length: number) => [...first.map((each) => JSON.stringify(each)), ...Array(length).fill('null')];
    const texts = bodyOf(limit - first.length);
    const tooMany = bodyOf(limit + 1 - first.length);
    const plain = (each: readonly string[]) => `[${each}]`;
    for (const wrap of [plain, ...ENVELOPES.slice(0, 1).map(([, each]) => each)]) {
      const { send, of } = await newStream();
      const { status, body } = await send(wrap(tooMany));
      assert.deepEqual(
        [status, body],
        [413, { error: `the body has more than ${limit} records: send smaller frames` }],
      );
      assert.equal((await of('rows')).length, 600);
      const enough = { catalog: 1, duplicate: 600, ignored: limit - first.length };
      if (wrap !== plain) assert.deepEqual(countsOf(await send(wrap(texts))), enough);
    }
  });

  test('when its text has something bad in it, or nothing', async () => {
    const { send, rows, bytesOf } = await newStream();
    const [metadata, one, , , two] = texts;
    const answer = await send(withData('data', JSON.stringify(`[${metadata},\n${one},\n{"a":{"b":1},\n${two}]`)));
    assert.deepEqual(countsOf(answer), { catalog: 1, applied: 2, deadLettered: 1, reasons: [[2, 'undecodable']] });
    assert.deepEqual(Object.keys(await rows()), ['1', digits]);
    assert.deepEqual(await bytesOf('deadletters'), ['{"a":{"b":1},']);
    assert.deepEqual(countsOf(await send(withData('data', '"[]"'))), {});
    assert.deepEqual(countsOf(await send(withData('data', '[]'))), {});
    assert.deepEqual(countsOf(await send(withData('data', '" "'))), { deadLettered: 1, reasons: [[0, 'undecodable']] });
  });
});

describe('a record that came in a list in an envelope', () => {
  test('takes no more room than its own while it waits, and is the same record afterwards', async () => {
    for (const [place, [, wrap]] of ENVELOPES.slice(0, 7).entries()) {
      const count = place === 0 ? 300 : 40;
      const records = Array.from({ length: count }, (_, ID) => record('INSERT', 1, { after: { ID, A: 'a' } }));
      const { send, of, rows, events } = await newStream();
      const body = wrap(records.map((each) => JSON.stringify(each)));
      assert.deepEqual(countsOf(await send(body)), { parked: count });
      const parked = await of('parked');
      const stored = parked.reduce((sum, each) => sum + JSON.stringify([each.bytes, each.position]).length, 0);
      assert.ok(stored < 3 * body.length, `${stored} bytes for ${body.length}`);
      assert.deepEqual(countsOf(await send(METADATA)), { catalog: 1 });
      assert.equal((await of('parked')).length, 0);
      const found = await rows();
      assert.deepEqual([Object.keys(found).length, found['39']], [count, { ID: 39, A: 'a' }]);
      assert.deepEqual((await events())['39'], body.startsWith('{"specversion"') ? ATTRIBUTES : undefined);
    }
  });

  test('is written as it was read, whatever is in it', () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom('12345678901234567890.5', '\ud800', '\u0000'),
    );
    fc.assert(
      fc.property(fc.oneof(value, fc.dictionary(fc.string({ unit: 'binary' }), value)), (sent) => {
        const text = JSON.stringify(sent);
        const { content } = partOf(Buffer.from(text), store.config.limits);
        const { bytes } = new NestedPart(content as never, 1);
        assert.deepEqual(partOf(bytes, store.config.limits).content, content);
      }),
    );
  });

  test('is refused with the others when the attributes that all share are long', async () => {
    const { send, bytesOf } = await newStream();
    const body = JSON.stringify({ ...cloudEvent('x'.repeat(5_000), [null, null]) });
    assert.deepEqual(countsOf(await send(body)), { deadLettered: 1, reasons: [[0, 'invalid-envelope']] });
    assert.deepEqual(await bytesOf('deadletters'), [body]);
  });
});

describe('the attributes of a CloudEvent in binary mode', () => {
  const headers = { 'ce-specversion': '1.0', 'ce-id': 'OGG-9', 'ce-source': 'uri:x', 'ce-type': 't' };
  const attributes = { specversion: '1.0', type: 't', source: 'uri:x', id: 'OGG-9' };
  const records = [1, 2].map((ID) => record('INSERT', 1, { after: { ID } }));

  test('stay with records that wait', async () => {
    const { send, events } = await newStream();
    assert.deepEqual(countsOf(await send(records, headers)), { parked: 2 });
    assert.deepEqual(countsOf(await send(records, headers)), { parked: 2 });
    await send(METADATA);
    assert.deepEqual(await events(), { 1: attributes, 2: attributes });
  });

  test('stay with records that are dead letters, at once or after a wait', async () => {
    const { stream, send, events, of, replay } = await newStream();
    const { parking } = await instanceOn(store, stream, {}, -1);
    await send(records, headers);
    await parking.expire();
    assert.equal((await of('deadletters')).length, 2);
    await send(METADATA);
    assert.deepEqual(await replay(), ['applied', 'applied']);
    assert.deepEqual(await events(), { 1: attributes, 2: attributes });
  });

  test('give way to those of a CloudEvent in the body', async () => {
    const { send, events, of } = await newStream();
    await send([cloudEvent('OGG-1', records[0] ?? {}), records[1] ?? {}], headers);
    const waiting = (await of('parked')).sort((a, b) => (String(a.arrival) < String(b.arrival) ? -1 : 1));
    assert.deepEqual(
      waiting.map(({ position }) => position),
      [{}, { cloudEvent: attributes }],
    );
    await send(METADATA);
    assert.deepEqual(await events(), { 1: ATTRIBUTES, 2: attributes });
  });
});

test('a record with a member called records is a record', async () => {
  const { send, rows } = await newStream();
  const sent = [
    classic('I', '1', { after: { ID: 1 }, records: [] }),
    classic('I', '2', { ID: 2, records: [{ A: 1 }] }),
  ];
  for (const each of sent) assert.deepEqual(countsOf(await send(each)), { applied: 1 });
  const { op_type, ...rest } = classic('I', '3', { after: { ID: 3 } });
  assert.deepEqual(countsOf(await send(JSON.stringify({ records: [], op_type, ...rest }))), { applied: 1 });
  assert.deepEqual(await rows(), { 1: { ID: 1 }, 2: { ID: 2, records: [{ A: 1 }] }, 3: { ID: 3 } });
});
