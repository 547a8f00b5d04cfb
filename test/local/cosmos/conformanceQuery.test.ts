import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Container, JSONValue } from '@azure/cosmos';
import { BY_PARTITION, type ConformanceTarget, createAll, openConformanceTarget } from './conformanceTarget.ts';

const DOCUMENTS = [
  { id: '1', pk: 'a', name: 'Anna', age: 30, tags: ['x', 'y'], address: { city: 'Brno', 'zip code': '60200' } },
  { id: '2', pk: 'a', name: 'bert', age: 25.5, tags: [], active: true },
  { id: '3', pk: 'b', name: 'Cyril%', age: null, tags: ['y', { k: 1, v: 2 }], active: false },
  { id: '4', pk: 'b', age: '30', nothing: null },
];

interface Case {
  readonly query: string;
  readonly parameters?: Record<string, JSONValue>;
  readonly gives: readonly unknown[];
}

/** What `WHERE` finds, by id. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  'c.age = 30': ['1'],
  "c.age = '30'": ['4'],
  'c.age = null': ['3'],
  'c.age > 25': ['1', '2'],
  'c.age >= 25.5 AND c.age < 30': ['2'],
  "c.age > ''": ['4'],
  'c.missing = null': [],
  'c.missing != 1': [],
  'NOT (c.missing = 1)': [],
  'NOT (c.active = true)': ['3'],
  'c.active = true OR c.missing = 1': ['2'],
  'c.active': ['2'],
  'NOT c.active': ['3'],
  'c.name': [],
  "c.age IN (30, '30', null)": ['1', '3', '4'],
  "c.name NOT IN ('Anna')": ['2', '3'],
  'c.age BETWEEN 25.5 AND 30': ['1', '2'],
  'c.age NOT BETWEEN 25.5 AND 29': ['1'],
  "c.name LIKE 'A%'": ['1'],
  "c.name LIKE '_er_'": ['2'],
  "c.name LIKE '[AC]%'": ['1', '3'],
  "c.name LIKE '%!%' ESCAPE '!'": ['3'],
  "c.name NOT LIKE 'A%'": ['2', '3'],
  "STARTSWITH(c.name, 'an')": [],
  "STARTSWITH(c.name, 'an', true)": ['1'],
  "ENDSWITH(c.name, 'T', true)": ['2'],
  "CONTAINS(c.name, 'er')": ['2'],
  "CONTAINS(c.name, 'ER', true)": ['2'],
  'IS_DEFINED(c.name)': ['1', '2', '3'],
  'NOT IS_DEFINED(c.name)': ['4'],
  'IS_NULL(c.age)': ['3'],
  'IS_NULL(c.missing)': [],
  'IS_STRING(c.age)': ['4'],
  'IS_NUMBER(c.age)': ['1', '2'],
  'IS_BOOL(c.active)': ['2', '3'],
  'IS_ARRAY(c.tags) AND ARRAY_LENGTH(c.tags) = 0': ['2'],
  'IS_OBJECT(c.address)': ['1'],
  "ARRAY_CONTAINS(c.tags, 'y')": ['1', '3'],
  'ARRAY_CONTAINS(c.tags, {k: 1})': [],
  'ARRAY_CONTAINS(c.tags, {k: 1}, true)': ['3'],
  "c.tags[0] = 'x'": ['1'],
  "c.tags = ['x', 'y']": ['1'],
  "c.address.city = 'Brno'": ['1'],
  "c['address'][\"zip code\"] = '60200'": ['1'],
  "c.address = {city: 'Brno', 'zip code': '60200'}": ['1'],
  'LENGTH(c.name) = 4': ['1', '2'],
  "LOWER(c.name) = 'anna' OR UPPER(c.name) = 'BERT'": ['1', '2'],
  "c.name || '!' = 'Anna!'": ['1'],
  'c.age + 1 = 31': ['1'],
  '-c.age * 2 < -55': ['1'],
  'c.age / 2 = 15 AND c.age % 7 = 2': ['1'],
  "(c.name ?? 'nobody') = 'nobody'": ['4'],
  '(IS_NUMBER(c.age) ? c.age : 0) = 0': ['3', '4'],
  "c.pk = 'b' AND c.id != '3'": ['4'],
  "c.id IN ('1', '4', '9')": ['1', '4'],
  true: ['1', '2', '3', '4'],
};

const CASES: Readonly<Record<string, Case>> = {
  'parameters of every type': {
    query: 'SELECT VALUE c.id FROM c WHERE c.age = @age AND c.tags = @tags AND c.address.city IN (@city)',
    parameters: { '@age': 30, '@tags': ['x', 'y'], '@city': 'Brno' },
    gives: ['1'],
  },
  'columns are named by path or alias and left out where undefined': {
    query: "SELECT c.name, c.address.city, c.age AS years FROM c WHERE c.pk = 'a' ORDER BY c.id",
    gives: [
      { name: 'Anna', city: 'Brno', years: 30 },
      { name: 'bert', years: 25.5 },
    ],
  },
  'objects and arrays are built': {
    query: "SELECT VALUE {who: c.name, list: [c.age, c.missing, 1 + 1], 'nested': {x: null}} FROM c WHERE c.id = '2'",
    gives: [{ who: 'bert', list: [25.5, 2], nested: { x: null } }],
  },
  'a document is a column under its alias': {
    query: "SELECT p FROM people AS p WHERE p.id = '9'",
    gives: [],
  },
  'an undefined value is no row': { query: 'SELECT VALUE c.address.city FROM c', gives: ['Brno'] },
  'keywords and functions in any case': {
    query: "select value upper(c.name) from c where startswith(c.name, 'A') order by c.id asc",
    gives: ['ANNA'],
  },
  'string escapes': {
    query: `SELECT VALUE 'it\\'s \\u0041\\n' || "\\"" FROM c WHERE c.id = '1'`,
    gives: ['it\'s A\n"'],
  },
  'COUNT of rows and of defined values': {
    query: 'SELECT VALUE COUNT(c.name) FROM c',
    gives: [3],
  },
  'COUNT with a condition': { query: 'SELECT VALUE COUNT(1) FROM c WHERE c.age > 0', gives: [2] },
  'COUNT of nothing': { query: 'SELECT VALUE COUNT(1) FROM c WHERE c.age > 1000', gives: [0] },
  SUM: { query: 'SELECT VALUE SUM(c.age) FROM c WHERE IS_NUMBER(c.age)', gives: [55.5] },
  AVG: { query: 'SELECT VALUE AVG(c.age) FROM c WHERE IS_NUMBER(c.age)', gives: [27.75] },
  MIN: { query: 'SELECT VALUE MIN(c.name) FROM c', gives: ['Anna'] },
  MAX: { query: 'SELECT VALUE MAX(c.name) FROM c', gives: ['bert'] },
  'ORDER BY ascending': { query: 'SELECT VALUE c.id FROM c ORDER BY c.name', gives: ['1', '3', '2'] },
  'ORDER BY descending over types': {
    query: 'SELECT VALUE c.id FROM c ORDER BY c.age DESC',
    gives: ['4', '1', '2', '3'],
  },
  TOP: { query: 'SELECT TOP 2 VALUE c.id FROM c ORDER BY c.id DESC', gives: ['4', '3'] },
  'OFFSET LIMIT': { query: 'SELECT VALUE c.id FROM c ORDER BY c.id OFFSET 1 LIMIT 2', gives: ['2', '3'] },
  'OFFSET beyond the end': { query: 'SELECT VALUE c.id FROM c ORDER BY c.id OFFSET 9 LIMIT 2', gives: [] },
};

/** Results in no defined order. */
const UNORDERED: Readonly<Record<string, Case>> = {
  DISTINCT: { query: 'SELECT DISTINCT VALUE c.pk FROM c', gives: ['a', 'b'] },
  'DISTINCT of objects': { query: 'SELECT DISTINCT c.pk FROM c', gives: [{ pk: 'a' }, { pk: 'b' }] },
  'GROUP BY': {
    query: 'SELECT c.pk, COUNT(1) AS documents, MIN(c.id) AS first FROM c GROUP BY c.pk',
    gives: [
      { pk: 'a', documents: 2, first: '1' },
      { pk: 'b', documents: 2, first: '3' },
    ],
  },
  JOIN: {
    query: 'SELECT c.id, t AS tag FROM c JOIN t IN c.tags WHERE IS_STRING(t)',
    gives: [
      { id: '1', tag: 'x' },
      { id: '1', tag: 'y' },
      { id: '3', tag: 'y' },
    ],
  },
  'FROM … IN': { query: 'SELECT VALUE t.k FROM t IN c.tags', gives: [1] },
};

const REFUSED: Readonly<Record<string, RegExp>> = {
  'SELECT * FROM c WHERE': /Syntax error/,
  'SELECT * FORM c': /Syntax error/,
  "SELECT * FROM c WHERE c.name = 'open": /Syntax error/,
  'SELECT * FROM c WHERE d.name = 1': /'d' could not be resolved/,
  'SELECT * FROM c WHERE NO_SUCH(c.name)': /NO_SUCH/,
  'SELECT * FROM c WHERE STARTSWITH(c.name)': /STARTSWITH/i,
};

describe('queries', () => {
  let target: ConformanceTarget;
  let container: Container;
  before(async () => {
    target = await openConformanceTarget();
    container = await target.container(BY_PARTITION);
    await createAll(container, DOCUMENTS, ({ pk }) => [pk]);
  });
  after(() => target.close());

  const run = async ({ query, parameters = {} }: Omit<Case, 'gives'>, forceQueryPlan = false): Promise<unknown[]> => {
    const spec = { query, parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })) };
    const { resources } = await container.items.query<unknown>(spec, { forceQueryPlan }).fetchAll();
    return resources;
  };

  for (const [condition, ids] of Object.entries(FILTERS)) {
    test(`WHERE ${condition}`, async () => {
      const found = await run({ query: `SELECT VALUE c.id FROM c WHERE ${condition}` });
      assert.deepEqual(found.sort(), ids);
    });
  }

  for (const [name, example] of Object.entries(CASES)) {
    test(name, async () => {
      assert.deepEqual(await run(example), example.gives);
      assert.deepEqual(await run(example, true), example.gives);
    });
  }

  for (const [name, example] of Object.entries(UNORDERED)) {
    test(name, async () => {
      const sorted = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).sort();
      assert.deepEqual(sorted(await run(example)), sorted(example.gives));
    });
  }

  for (const [query, message] of Object.entries(REFUSED)) {
    test(`refused: ${query}`, async () => {
      await assert.rejects(run({ query }), (error: Error & { code?: number }) => {
        assert.equal(error.code, 400);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  test('SELECT * gives whole documents, and readAll too', async () => {
    const { resource } = await container.item('1', 'a').read();
    assert.deepEqual(await run({ query: "SELECT * FROM c WHERE c.id = '1'" }), [resource]);
    assert.deepEqual(await run({ query: "SELECT VALUE c FROM c WHERE c.name = 'Anna'" }), [resource]);
    const { resources } = await container.items.readAll().fetchAll();
    assert.deepEqual(resources.map(({ id }) => id).sort(), ['1', '2', '3', '4']);
  });

  test('system properties can be queried', async () => {
    const { resource } = await container.item('1', 'a').read();
    const query = 'SELECT c._ts, c._etag FROM c WHERE c._etag = @etag AND c._ts > 0';
    assert.deepEqual(await run({ query, parameters: { '@etag': resource?._etag } }), [
      { _ts: resource?._ts, _etag: resource?._etag },
    ]);
  });

  test('documents without the property are sorted first where the indexing policy names its path', async () => {
    const indexingPolicy = { includedPaths: [{ path: '/*' }, { path: '/name/?' }] };
    const indexed = await target.container({ ...BY_PARTITION, indexingPolicy });
    await createAll(indexed, DOCUMENTS, ({ pk }) => [pk]);
    const { resources } = await indexed.items.query('SELECT VALUE c.id FROM c ORDER BY c.name').fetchAll();
    assert.deepEqual(resources, ['4', '1', '3', '2']);
  });

  test('several ORDER BY items need a composite index', async () => {
    const query = 'SELECT VALUE c.n FROM c ORDER BY c.pk DESC, c.n ASC';
    await assert.rejects(run({ query }), { code: 400 });
    const indexed = await target.container({
      ...BY_PARTITION,
      indexingPolicy: {
        includedPaths: [{ path: '/*' }],
        compositeIndexes: [
          [
            { path: '/pk', order: 'descending' },
            { path: '/n', order: 'ascending' },
          ],
        ],
      },
    });
    const documents = [3, 1, 2, 4].map((n) => ({ id: String(n), pk: n % 2 === 0 ? 'even' : 'odd', n }));
    await createAll(indexed, documents, ({ pk }) => [pk]);
    assert.deepEqual((await indexed.items.query(query).fetchAll()).resources, [1, 3, 2, 4]);
    const opposite = 'SELECT VALUE c.n FROM c ORDER BY c.pk ASC, c.n DESC';
    assert.deepEqual((await indexed.items.query(opposite).fetchAll()).resources, [4, 2, 3, 1]);
  });
});
