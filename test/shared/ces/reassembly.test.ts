import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { avroData, avroEnvelope, jsonData, renderAvro, renderJson } from '../../../local/samples/render.ts';
import type { SampleEvent } from '../../../local/samples/sampleEvent.ts';
import { type SplitEncoding, splitEvent } from '../../../local/samples/splitEvent.ts';
import { decodeEnvelope } from '../../../shared/ces/envelope.ts';
import { CesNormaliser } from '../../../shared/ces/normalise.ts';
import { readJoinedPayload, readPayload } from '../../../shared/ces/payload.ts';
import { assemble, type CesSegment, openEnvelope } from '../../../shared/ces/reassembly.ts';
import { DELIVERY, dataOf, eventOf, reasonOf, receive, STREAM } from './receive.ts';

const WIDE: SampleEvent = {
  id: 'a1b2c3d4-0000-4000-8000-000000000000',
  time: '2026-08-07T16:30:10.123Z',
  operation: 'UPD',
  table: {
    db: 'd',
    schema: 'dbo',
    tbl: 'Wide',
    columns: [
      { name: 'Id', type: 'int' },
      { name: 'Näme 😀', type: 'nvarchar(max)' },
    ],
    key: ['Id'],
    logicalPrefix: 'g',
  },
  sentColumns: ['Id', 'Näme 😀'],
  keys: { Id: 1 },
  commitLsn: '0000000A:00000010:0001',
  beginLsn: '0000000A:0000000F:0001',
  sequenceNumber: 1,
  old: { Id: 1, 'Näme 😀': 'say "hé"\n\\ 👩‍👩‍👧 ' },
  current: { Id: 1, 'Näme 😀': '{"eventsource":{},"eventrow":{}} 🏴 日本' },
};

/** The change that comes out when the bodies come in this order. */
function reassemble(bodies: readonly Uint8Array[], normaliser = new CesNormaliser(STREAM)) {
  const assembly = assemble(bodies.map(segmentOf));
  if (assembly.state !== 'complete') return assembly;
  const { change } = normaliser.normalise(assembly.last.attributes, assembly.payload, DELIVERY);
  return withoutSegments(change);
}

function segmentOf(body: Uint8Array): CesSegment {
  const { segment } = openEnvelope(decodeEnvelope(body));
  assert.ok(segment !== undefined, 'a segment, not a whole event');
  return segment;
}

/** What a change says whether or not its event was split. */
function withoutSegments<C extends { readonly origin: object }>(change: C) {
  return { ...change, origin: { ...change.origin, id: '', segmentindex: 0, finalsegment: true } };
}

const ENCODINGS: readonly SplitEncoding[] = ['json', 'json-utf16', 'avro'];
const BASES = [0, 1] as const;
const PRICED = [
  { name: 'Id', type: 'int' },
  { name: 'Price', type: 'decimal(9,2)' },
];

describe('an event cut in two anywhere comes back', () => {
  const expected = withoutSegments(receive(renderJson(WIDE)).change);
  for (const encoding of ENCODINGS) {
    for (const base of BASES) {
      test(`${encoding}, counted from ${base}`, () => {
        const length = {
          json: Buffer.byteLength(jsonData(WIDE)),
          'json-utf16': jsonData(WIDE).length,
          avro: avroData(WIDE).length,
        };
        for (let cut = 1; cut < length[encoding]; cut++) {
          const [first, second] = splitEvent(WIDE, { encoding, base, cuts: [cut] });
          assert.ok(first !== undefined && second !== undefined);
          assert.deepEqual(reassemble([second, first]), expected, `cut at ${cut}`);
          assert.deepEqual(reassemble([first]), { state: 'incomplete' });
          assert.deepEqual(reassemble([second]), { state: 'incomplete' });
        }
      });
    }
  }
});

test('a half of a surrogate pair that the column really holds survives splitting', () => {
  const lone: SampleEvent = { ...WIDE, current: { Id: 1, 'Näme 😀': 'cut \ud83d here' } };
  const expected = withoutSegments(receive(renderJson(lone)).change);
  for (const encoding of ['json', 'json-utf16'] as const) {
    assert.deepEqual(reassemble(splitEvent(lone, { encoding, base: 0, segments: 90 })), expected);
  }
  const inEnvelope = JSON.stringify(JSON.parse(eventOf({ current: '{"Id":"7","T":"\ud83d!"}' })));
  assert.equal(receive(inEnvelope).change.after?.T, '\ud83d!');
});

test('an Avro event that is not split is whole, counted from 1 too', () => {
  assert.deepEqual(
    withoutSegments(receive(renderAvro(WIDE, 1)).change),
    withoutSegments(receive(renderAvro(WIDE)).change),
  );
});

describe('an event that is larger than any message', () => {
  const text = (size: number) => 'say "hé"\n\\ 日本 😀 '.repeat(size);
  const LARGE: SampleEvent = {
    ...WIDE,
    old: { Id: 1, 'Näme 😀': text(30_000) },
    current: { Id: 1, 'Näme 😀': `${text(40_000)}\u0001` },
  };
  const expected = withoutSegments(receive(renderJson(LARGE)).change);

  for (const encoding of ENCODINGS) {
    test(`comes back from segments of many sizes, ${encoding}`, () => {
      for (const maxBytes of [700_001, 100_003]) {
        assert.deepEqual(reassemble(splitEvent(LARGE, { encoding, base: 1, maxBytes })), expected);
      }
    });
  }

  test('keeps the digits of numbers in images that are objects', () => {
    const current = { Id: 7, Price: 12.5, T: text(60_000) };
    const data = Buffer.from(
      JSON.stringify(dataOf({ eventsource: { cols: PRICED }, current })).replace('12.5', '12.50'),
    );
    const joined = readJoinedPayload(Uint8Array.from(data));
    assert.deepEqual(joined, readPayload(data));
    assert.equal(joined.current?.digits?.get('Price'), '12.50');
  });

  test('is refused where its text is no UTF-8', () => {
    const data = Buffer.from(avroData(LARGE));
    data[data.length - 1_000] = 0xff;
    assert.equal(
      reasonOf(() => readJoinedPayload(data)),
      'undecodable',
    );
  });
});

test('an Avro envelope may carry JSON text, whole or in pieces', () => {
  const text = Buffer.from(jsonData(WIDE));
  const whole = receive(avroEnvelope(WIDE, { id: 'x', index: 0, final: true }, text)).change;
  assert.deepEqual(withoutSegments(whole), withoutSegments(receive(renderAvro(WIDE)).change));
  const halves = [text.subarray(0, 301), text.subarray(301)].map((piece, index) =>
    avroEnvelope(WIDE, { id: 'x', index, final: index === 1 }, piece),
  );
  assert.deepEqual(reassemble(halves), withoutSegments(whole));
});

test('an Avro record whose first byte looks like a blank before a brace is still Avro', () => {
  for (const db of ['{five', '{sixteen-letters']) {
    const event = { ...WIDE, table: { ...WIDE.table, db } };
    assert.deepEqual(receive(renderAvro(event)).change.after, WIDE.current);
  }
});

test('the early form tells how many segments there are', () => {
  const early = (splitindex: number, splittotalcnt: number, data: string) =>
    Buffer.from(
      eventOf({ envelope: { segmentindex: undefined, finalsegment: undefined, splitindex, splittotalcnt }, data }),
    );
  const { data } = JSON.parse(eventOf());
  const [a, b, c] = [data.slice(0, 50), data.slice(50, 90), data.slice(90)];
  for (const base of BASES) {
    const pieces = [early(base + 2, 3, c), early(base, 3, a), early(base + 1, 3, b)];
    assert.deepEqual(assemble(pieces.slice(0, 2).map(segmentOf)), { state: 'incomplete' });
    const assembly = assemble(pieces.map(segmentOf));
    assert.ok(assembly.state === 'complete');
    assert.deepEqual(assembly.payload.current?.row, { Id: '7', Qty: '1' });
  }
  assert.ok(openEnvelope(decodeEnvelope(early(1, 1, data))).payload);
  assert.ok(openEnvelope(decodeEnvelope(early(1, 0, data))).payload);
});

describe('what cannot be one event is told', () => {
  const [a, b, c] = splitEvent(WIDE, { encoding: 'json', base: 0, segments: 3 }).map(segmentOf);
  assert.ok(a && b && c);
  const cases: [string, readonly CesSegment[], object][] = [
    ['two contents at one index', [a, b, { ...b, bytes: c.bytes }, c], { state: 'conflict', index: 1 }],
    ['two last segments', [a, { ...b, final: true }, c], { state: 'conflict', index: 2 }],
    ['an index that is last and is not', [a, b, { ...b, final: true }], { state: 'conflict', index: 1 }],
    ['an index beyond the last', [a, b, c, { ...a, index: 7 }], { state: 'conflict', index: 7 }],
    ['nothing at all', [], { state: 'incomplete' }],
    ['all but the middle', [a, c], { state: 'incomplete' }],
    ['all but the last', [a, b], { state: 'incomplete' }],
    ['all but the first', [b, c], { state: 'incomplete' }],
  ];
  for (const [name, segments, expected] of cases) {
    test(name, () => assert.deepEqual(assemble(segments), expected));
  }

  test('segments that are all there and hold no record', () => {
    const spoilt = { ...c, bytes: c.bytes.slice(0, -1) };
    assert.equal(
      reasonOf(() => assemble([a, b, spoilt])),
      'undecodable',
    );
    const later = { ...spoilt, attributes: { ...c.attributes, type: 'com.microsoft.SQL.CES.DML.V3' } };
    assert.equal(
      reasonOf(() => assemble([a, b, later])),
      'unsupported-type',
    );
  });
});

test('no tail of a record is taken for a whole one', () => {
  const inner = JSON.stringify(JSON.parse(jsonData(WIDE)));
  const adversarial = { ...WIDE, current: { Id: 1, 'Näme 😀': inner } };
  for (const encoding of ENCODINGS) {
    const bodies = splitEvent(adversarial, { encoding, base: 0, segments: 150 }).slice(1);
    for (let start = 0; start < bodies.length; start++) {
      const tail = bodies
        .slice(start)
        .map(segmentOf)
        .map((segment, at) => ({ ...segment, index: at + 1 }));
      assert.deepEqual(assemble(tail), { state: 'incomplete' });
    }
  }
});

describe('random events', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('"', '\\', '\n', '😀', 'é', '日', '\u0000'),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
    maxLength: 30,
  });
  const event = fc
    .record({
      columns: fc.uniqueArray(
        text.filter((name) => name !== 'Id'),
        { maxLength: 59 },
      ),
      values: fc.array(fc.option(text), { minLength: 59, maxLength: 59 }),
      sequenceNumber: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      operation: fc.constantFrom<SampleEvent['operation']>('INS', 'UPD', 'DEL'),
    })
    .map(({ columns, values, sequenceNumber, operation }): SampleEvent => {
      const row = Object.fromEntries([['Id', 7], ...columns.map((name, at) => [name, values[at] ?? null])]);
      const all = [{ name: 'Id', type: 'int' }, ...columns.map((name) => ({ name, type: 'nvarchar(max)' }))];
      return {
        ...WIDE,
        table: { ...WIDE.table, columns: all },
        sentColumns: all.map(({ name }) => name),
        keys: { Id: 7 },
        sequenceNumber,
        operation,
        old: operation === 'INS' ? null : row,
        current: operation === 'DEL' ? null : row,
      };
    });
  const split = fc.record({
    event,
    encoding: fc.constantFrom(...ENCODINGS),
    base: fc.constantFrom(...BASES),
    cuts: fc.array(fc.nat(), { minLength: 1, maxLength: 199 }),
  });

  test('split anywhere, shuffled, doubled and interleaved, become the original changes', () => {
    const several = fc.uniqueArray(split, { minLength: 1, maxLength: 5, selector: (one) => one.event.sequenceNumber });
    fc.assert(
      fc.property(several, fc.infiniteStream(fc.nat()), (splits, numbers) => {
        const next = () => numbers.next().value ?? 0;
        const bodies = splits.flatMap(({ event: one, encoding, base, cuts }) => {
          const length = Math.max(2, avroData(one).length);
          const parts = splitEvent(one, { encoding, base, cuts: [1, ...cuts.map((cut) => 1 + (cut % (length - 1)))] });
          return [...parts, ...parts.filter(() => next() % 3 === 0)];
        });
        const shuffled = bodies
          .map((body) => ({ body, place: next() }))
          .toSorted((x, y) => x.place - y.place)
          .map(({ body }) => body);
        const events = Map.groupBy(shuffled.map(segmentOf), ({ attributes }) => attributes.logicalid);
        assert.equal(events.size, splits.length);
        for (const { event: one } of splits) {
          const { change: expected } = receive(renderJson(one));
          const assembly = assemble(events.get(String(expected.origin.logicalid)) ?? []);
          assert.ok(assembly.state === 'complete');
          const { change } = new CesNormaliser(STREAM).normalise(assembly.last.attributes, assembly.payload, DELIVERY);
          assert.deepEqual(withoutSegments(change), withoutSegments(expected));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('JSON and Avro give the same change', () => {
    fc.assert(
      fc.property(event, (one) => assert.deepEqual(receive(renderAvro(one)), receive(renderJson(one)))),
      { numRuns: 60 },
    );
  });
});
