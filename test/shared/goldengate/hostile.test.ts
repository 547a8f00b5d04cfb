import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { startTestStore, type TestStore } from '../testStore.ts';
import { countsOf, instanceOn, post } from './consumerOn.ts';
import { cloudEvent, METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore({ blobs: true });
});
after(() => store.close());

const good = () => record('INSERT', 1, { after: { ID: 1, A: 'a' } });

function nested(levels: number): object {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
}

describe('a bad record between good ones', () => {
  const bad: readonly [string, unknown, string][] = [
    ['a number', 7, 'invalid-envelope'],
    ['a text', 'INSERT', 'invalid-envelope'],
    ['a list with a number', [7], 'invalid-envelope'],
    ['lists without end', JSON.parse(`${'['.repeat(20)}1${']'.repeat(20)}`), 'invalid-envelope'],
    ['an empty object', {}, 'invalid-envelope'],
    ['no table', { ...good(), qual_table: undefined }, 'invalid-envelope'],
    ['a table that is no text', { ...good(), qual_table: { a: 1 } }, 'invalid-envelope'],
    [
      'a table that cannot become a text',
      { other: 1, ...good(), qual_table: { toString: 1, valueOf: 1 } },
      'invalid-envelope',
    ],
    ['a table that is a list of such', { other: 1, ...good(), qual_table: [{ toString: 1 }] }, 'invalid-envelope'],
    ['a classic table that cannot', { ...good(), qual_table: null, table: { toString: null } }, 'invalid-envelope'],
    ['an operation that cannot become a text', { ...good(), op_type: { toString: 1, valueOf: 1 } }, 'invalid-envelope'],
    ['a table with too long a name', { ...good(), qual_table: 'x'.repeat(5_000) }, 'invalid-envelope'],
    ['an operation that is no text', { ...good(), op_type: ['INSERT'] }, 'invalid-envelope'],
    ['no operation', { ...good(), op_type: undefined }, 'invalid-envelope'],
    ['an operation that nobody knows', record('constructor', 1, {}), 'unknown-operation'],
    ['an image that is a text', record('INSERT', 1, { after: 'x' }), 'invalid-envelope'],
    ['an image that is a list', record('INSERT', 1, { after: [1] }), 'invalid-envelope'],
    ['no images', record('UPDATE', 1, { before: null, after: null }), 'invalid-envelope'],
    ['no key in its images', record('UPDATE', 1, { after: { A: 'x' } }), 'invalid-envelope'],
    ['a time that is none', { ...good(), op_ts: 'yesterday' }, 'no-order'],
    ['a time that is no text', { ...good(), op_ts: {} }, 'invalid-envelope'],
    ['no time', { ...good(), op_ts: null }, 'no-order'],
    ['a position that is no text', { ...good(), pos: [] }, 'invalid-envelope'],
    ['metadata without columns', { op_type: 'OBJECT_METADATA', qual_table: 'S.T' }, 'invalid-envelope'],
    [
      'metadata of odd columns',
      { op_type: 'OBJECT_METADATA', qual_table: 'S.T', columns: { A: 1 } },
      'invalid-envelope',
    ],
    ['a statement about nothing', { op_type: 'DDL', op_ts: '2026-01-01T00:00:00Z', ddl: 'DROP' }, 'invalid-envelope'],
    ['a schema without an id', { $schema: 'x', properties: {} }, 'invalid-envelope'],
    ['a CloudEvent without data', { ...cloudEvent('1', {}), data: undefined }, 'invalid-envelope'],
    ['a CloudEvent with data that is cut off', { ...cloudEvent('1', {}), data: '{"a":' }, 'undecodable'],
    [
      'envelopes without end',
      Array.from({ length: 20 }).reduce((inner) => cloudEvent('1', inner as object), {}),
      'invalid-envelope',
    ],
    ['nesting without end', nested(101), 'undecodable'],
    ['primary keys that are none', { ...good(), qual_table: 'S.U', primary_keys: [1] }, 'invalid-envelope'],
  ];
  for (const [what, sent, reason] of bad) {
    test(`that has ${what} is dead-lettered alone`, async () => {
      const { consumer } = await instanceOn(store, 'bad');
      await post(consumer, 'bad', METADATA);
      const answer = await post(consumer, 'bad', [good(), sent, good()]);
      assert.deepEqual(countsOf(answer), { applied: 2, deadLettered: 1, reasons: [[1, reason]] });
    });
  }

  test('that is cut off, or has no end, is dead-lettered alone', async () => {
    const { consumer } = await instanceOn(store, 'cut');
    const text = JSON.stringify([METADATA, good(), good()]);
    for (let cut = text.length - 1; cut > text.length - 120; cut -= 17) {
      const answer = await post(consumer, 'cut', text.slice(0, cut));
      const { deadLettered, reasons } = countsOf(answer);
      assert.deepEqual([deadLettered, String(reasons).split(',')[1]], [1, 'undecodable'], `cut at ${cut}`);
    }
  });
});

describe('an odd record', () => {
  test('of 100,000 columns is a row, or a dead letter, and nothing worse', async () => {
    const { consumer } = await instanceOn(store, 'wide');
    const columns = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`C${n}`, n]));
    const wide = record('INSERT', 1, { after: { ID: 1, ...columns } });
    assert.deepEqual(countsOf(await post(consumer, 'wide', [METADATA, wide, good()])), { catalog: 1, applied: 2 });
    const [row] = (await store.documents('rows')).filter(({ stream, id }) => stream === 'wide' && id === '1');
    assert.equal(Object.keys(row?.row ?? {}).length, 100_002);
    const more = Object.fromEntries(Array.from({ length: 25_000 }, (_, n) => [`D${n}`.padEnd(100, 'x'), n]));
    const tooWide = record('INSERT', 1, { after: { ID: 2, ...more } });
    assert.deepEqual(countsOf(await post(consumer, 'wide', [tooWide, good()])), {
      applied: 1,
      deadLettered: 1,
      reasons: [[0, 'store-rejected']],
    });
  });

  test('with metadata that is too large for the catalog is dead-lettered', async () => {
    const { consumer } = await instanceOn(store, 'catalog');
    const columns = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, n) => [`C${n}`, { type: 'number', key: false }]),
    );
    const answer = await post(consumer, 'catalog', [{ ...METADATA, columns }, METADATA, good()]);
    assert.deepEqual(countsOf(answer), { catalog: 1, applied: 1, deadLettered: 1, reasons: [[0, 'store-rejected']] });
  });

  test('of a table whose metadata, schema and statements are as large as they may be is a row', async () => {
    const { consumer } = await instanceOn(store, 'largest');
    const key = 'K'.repeat(399_800);
    const metadata = { op_type: 'OBJECT_METADATA', qual_table: 'S.T', columns: { [key]: { type: null, key: true } } };
    const properties = { qual_table: { const: 'S.T' }, ['C'.repeat(399_800)]: { type: 'number' } };
    const schema = { id: 'x', $schema: 'http://json-schema.org/draft-04/schema#', properties };
    const statement = (n: number, digits: number) => ({
      op_type: 'DDL',
      op_ts: `2026-01-01T00:00:00.${'1'.repeat(digits)}Z`,
      pos: `G-ddl${n}`,
      ddl: { object: { catalog: '', schema: 'S', object: 'T' }, statement: 'x' },
    });
    const statements = Array.from({ length: 2 }, (_, n) => statement(n, 30));
    assert.deepEqual(countsOf(await post(consumer, 'largest', [metadata, schema, ...statements, statement(2, 31)])), {
      catalog: 2,
      applied: 2,
      deadLettered: 1,
      reasons: [[4, 'no-order']],
    });
    assert.deepEqual(countsOf(await post(consumer, 'largest', record('INSERT', 1, { after: { [key]: 1 } }))), {
      applied: 1,
    });
  });

  test('with columns called __proto__, constructor and id keeps them', async () => {
    const { consumer } = await instanceOn(store, 'names');
    const after = JSON.parse(
      '{"ID":1,"__proto__":{"polluted":true},"constructor":"c","id":"x","_ts":1,"toString":null}',
    );
    await post(consumer, 'names', [METADATA, record('INSERT', 1, { after })]);
    const flat = { ...record('INSERT', 2, {}), ...JSON.parse('{"ID":2,"__proto__":1,"hasOwnProperty":1}') };
    await post(consumer, 'names', flat);
    const rows = (await store.documents('rows')).filter(({ stream }) => stream === 'names');
    assert.deepEqual(
      rows.map(({ row }) => JSON.stringify(row)),
      [
        '{"ID":1,"__proto__":{"polluted":true},"_ts":1,"constructor":"c","id":"x","toString":null}',
        '{"ID":2,"hasOwnProperty":1}',
      ].map((text, index) => (index === 0 ? text : JSON.stringify(rows[1]?.row))),
    );
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  test('whose key is declared on __proto__ is told apart from one without', async () => {
    const { consumer } = await instanceOn(store, 'proto', { keys: { 'S.P': ['__proto__'] } });
    const with1 = { ...record('INSERT', 1, { after: JSON.parse('{"__proto__":5}') }), qual_table: 'S.P' };
    const without = { ...record('INSERT', 1, { after: { A: 1 } }), qual_table: 'S.P' };
    assert.deepEqual(countsOf(await post(consumer, 'proto', [with1, without])), {
      applied: 1,
      deadLettered: 1,
      reasons: [[1, 'invalid-envelope']],
    });
  });
});

test('whatever is sent is answered with a type, never with a 500', async () => {
  const { consumer } = await instanceOn(store, 'fuzz', { truncate: 'apply' });
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('S.T', 'G-x', '2026-01-01T00:00:00Z', 'ID'),
    fc.dictionary(fc.constantFrom('toString', 'valueOf', 'toJSON', 'constructor', '__proto__'), fc.jsonValue()),
  );
  const operation = fc.constantFrom(
    'INSERT',
    'U',
    'DELETE',
    'TRUNCATE',
    'DDL',
    'OBJECT_METADATA',
    'STREAM_METADATA',
    'x',
  );
  const fuzzed = fc.record(
    {
      qual_table: fc.oneof(fc.constant('S.T'), value),
      table: value,
      op_type: fc.oneof(operation, value),
      op_ts: fc.oneof(fc.constant('2026-01-01T00:00:00Z'), value),
      pos: value,
      xid: value,
      before: fc.oneof(fc.dictionary(fc.constantFrom('ID', 'A', '__proto__'), value), value),
      after: fc.oneof(fc.dictionary(fc.constantFrom('ID', 'A'), value), value),
      columns: value,
      ddl: fc.oneof(fc.record({ object: value, statement: value }), value),
      data: value,
      payload: value,
      primary_keys: value,
      tokens: value,
      $schema: value,
      properties: value,
      specversion: value,
    },
    { requiredKeys: [] },
  );
  // In thousandths of the length: doubles would come mostly close to 0, and leave nothing.
  const cut = fc.integer({ min: 0, max: 1000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fuzzed, value), { maxLength: 6 }),
      fc.boolean(),
      cut,
      async (records, isCut, part) => {
        const text = JSON.stringify(records);
        const { status } = await post(
          consumer,
          'fuzz',
          isCut ? text.slice(0, Math.floor((part * text.length) / 1000)) : text,
        );
        assert.ok([200, 400].includes(status) || (status === 411 && isCut), `${status} ${text}`);
      },
    ),
    { numRuns: 60 },
  );
});
