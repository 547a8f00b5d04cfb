import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ORDERS, pointOfSale } from '../../local/samples/goldengate/pointOfSale.ts';
import { pointOfSaleFrames } from '../../local/samples/goldengate/sendPointOfSale.ts';
import type { Answer } from '../../shared/body/answer.ts';
import type { Status } from '../../shared/operate/status.ts';
import { startTestStack, type TestStack } from './testStack.ts';

/** The document that the source's records were learnt from; only where it is. */
const SEED = join(import.meta.dirname, '..', '..', '..', 'shared', 'seeds', '001_cee12ffb036d302a.txt');

const FRAME = [
  {
    id: 'urn:x:dml:S.T',
    $schema: 'http://json-schema.org/draft-04/schema#',
    title: 'S.T',
    type: 'object',
    properties: {},
  },
  { op_type: 'STREAM_METADATA', producer: { name: 'ds', version: '26' } },
  {
    op_type: 'OBJECT_METADATA',
    qual_table: 'S.T',
    columns: {
      ID: { type: 'number', null: false, key: true },
      A: { type: 'string', null: true, key: false },
    },
  },
  dml('INSERT', 1, { after: { ID: 1, A: 'a' } }),
  dml('UPDATE', 2, { before: { ID: 1, A: 'a' }, after: { ID: 1, A: 'b' } }),
  dml('DELETE', 3, { before: { ID: 1, A: 'b' } }),
  {
    op_type: 'DDL',
    op_ts: '2026-01-01T00:00:04.000000Z',
    xid: '0.1.4',
    pos: 'G-4',
    ddl: { object: { catalog: '', schema: 'S', object: 'T' }, statement: 'ALTER TABLE S.T ADD B NUMBER' },
  },
];

function dml(op: string, at: number, images: object) {
  return {
    qual_table: 'S.T',
    op_type: op,
    op_ts: `2026-01-01T00:00:0${at}.000000Z`,
    xid: `0.1.${at}`,
    pos: `G-${at}`,
    ...images,
  };
}

function cloudEvent(data: object, id: number) {
  return { specversion: '1.0', type: 'com.oracle.goldengate.datastream', source: 'uri:x', id: `OGG-${id}`, data };
}

describe('GoldenGate through the running stack', () => {
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack();
  });
  after(() => stack.close());

  async function post(stream: string, body: string | Buffer | object, headers: Record<string, string> = {}) {
    const { functionsUrl, functionKey } = stack.description;
    const bytes =
      typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
    const response = await fetch(`${functionsUrl}/api/goldengate/${stream}`, {
      method: 'POST',
      headers: { 'x-functions-key': functionKey, 'content-type': 'application/json', ...headers },
      body: bytes,
    });
    return { status: response.status, body: (await response.json()) as Answer & { error?: string } };
  }

  async function contentOf(stream: string) {
    const of = async (name: 'rows' | 'catalog' | 'changes') =>
      (await stack.documents<Record<string, unknown>>(name)).filter((each) => each.stream === stream);
    const rows = (await of('rows')).map(({ table, id, row, deleted }) => [`${table}/${id}`, deleted ? 'deleted' : row]);
    const catalog = (await of('catalog')).map(({ kind, key, stale }) => [kind, key, stale]);
    return {
      rows: Object.fromEntries(rows),
      catalog: catalog.sort(),
      changes: (await of('changes')).map(({ op }) => op).sort(),
    };
  }

  const NOTHING = {
    received: 0,
    applied: 0,
    duplicate: 0,
    stale: 0,
    parked: 0,
    deadLettered: 0,
    catalog: 0,
    ignored: 0,
    errors: [],
  };

  test('the frame of every kind of record gives its row, its catalog entries and its counts, plain and in CloudEvents', async () => {
    const forms: readonly [string, object | Buffer, Record<string, string>][] = [
      ['plain', FRAME, {}],
      ['batch', FRAME.map(cloudEvent), { 'content-type': 'application/cloudevents-batch+json' }],
      ['gzipped', gzipSync(JSON.stringify(FRAME)), { 'content-encoding': 'gzip' }],
    ];
    for (const [stream, body, headers] of forms) {
      assert.deepEqual(await post(stream, body, headers), {
        status: 200,
        body: { ...NOTHING, received: 7, applied: 4, catalog: 3 },
      });
      assert.deepEqual(await contentOf(stream), {
        rows: { [`goldengate/${stream}/S.T/1`]: 'deleted' },
        catalog: [
          ['schema', undefined, undefined],
          ['stream', undefined, undefined],
          ['table', ['ID'], true],
        ],
        changes: ['ddl', 'delete', 'insert', 'update'],
      });
      assert.deepEqual(await post(stream, body, headers), {
        status: 200,
        body: { ...NOTHING, received: 7, duplicate: 4, catalog: 3 },
      });
    }
  });

  test('every example of the seed does, as it stands and in a CloudEvent', {
    skip: !existsSync(SEED) && 'no seed here',
  }, async () => {
    const examples = jsonIn(readFileSync(SEED, 'utf8'));
    assert.equal(examples.length, 6);
    for (const stream of ['seed', 'wrapped']) {
      const counts: unknown[] = [];
      for (const [at, example] of examples.entries()) {
        const { status, body } = await post(stream, stream === 'seed' ? example : cloudEvent(example, at));
        assert.equal(status, 200);
        counts.push(
          Object.entries(body).filter(([name, count]) => name !== 'received' && typeof count === 'number' && count > 0),
        );
        if (at === 2) {
          assert.deepEqual((await contentOf(stream)).rows, {
            [`goldengate/${stream}/SALES.ORDERS/1001`]: { ORDER_ID: 1001, STATUS: 'APPROVED', TOTAL_AMOUNT: 125.5 },
          });
        }
      }
      const once = (name: string) => [[name, 1]];
      // The last one, in a CloudEvent of its own, is the insert once more.
      assert.deepEqual(counts, ['catalog', 'applied', 'applied', 'applied', 'applied', 'duplicate'].map(once));
      assert.deepEqual(await contentOf(stream), {
        rows: { [`goldengate/${stream}/SALES.ORDERS/1001`]: 'deleted' },
        catalog: [['table', ['ORDER_ID'], true]],
        changes: ['ddl', 'delete', 'insert', 'update'],
      });
    }
  });

  test('the sample frames give the orders that they tell of, digit for digit', async () => {
    for (const frame of pointOfSaleFrames({ seed: 3, orders: 20 }))
      assert.equal((await post('pos', frame)).status, 200);
    const orders = new Map<unknown, object | string>();
    for (const { table, op, before: old, after: image } of pointOfSale({ seed: 3, orders: 20 })) {
      if (table !== ORDERS) continue;
      const id = (image ?? old)?.ORDER_ID;
      orders.set(id, op === 'DELETE' ? 'deleted' : { ...old, ...image });
    }
    const expected = [...orders].map(([id, row]) => [
      `goldengate/pos/POS.ORDERS/${id}`,
      typeof row === 'string' ? row : sorted({ ...row, ...exactOf(row) }),
    ]);
    const { rows } = await contentOf('pos');
    const found = Object.entries(rows).filter(([name]) => name.includes('POS.ORDERS/'));
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
  });

  test('a frame of 24 MiB with a long number in each record survives', async () => {
    const LIMIT = 25_165_824;
    const filler = 'x'.repeat(63_000);
    const records: string[] = [];
    for (let id = 1, bytes = 2; ; id++) {
      const text = JSON.stringify({ ...dml('INSERT', 1, { after: { ID: id, A: filler, N: 7 } }), pos: `G-${id}` });
      const record = text.replace(
        '"N":7',
        `"N":${'12345678901234567890123456789012345'}${String(id).padStart(3, '0')}`,
      );
      if (bytes + record.length + 1 > LIMIT) break;
      bytes += record.length + 1;
      records.push(record);
    }
    const body = `[${records.join(',')}]`.padEnd(LIMIT, ' ');
    await post('large', [FRAME[2] ?? {}]);
    const { status, body: answer } = await post('large', body);
    assert.deepEqual([status, answer.applied, answer.errors], [200, records.length, []]);
    const { resource } = await stack
      .container('rows')
      .item('380', ['goldengate/large/S.T', '380'])
      .read<{ row: Record<string, unknown> }>();
    assert.deepEqual(resource?.row, { ID: 380, A: filler, N: '12345678901234567890123456789012345380' });
    assert.equal((await post('large', `${body} `)).status, 413);
  });

  test('a request that cannot be taken gets its status, and one without a key none', async () => {
    const { functionsUrl } = stack.description;
    assert.equal((await fetch(`${functionsUrl}/api/goldengate/x`, { method: 'POST', body: '[]' })).status, 401);
    assert.equal((await post('x', 'hello')).status, 400);
    assert.equal((await post('x', '')).status, 400);
    assert.equal((await post('x', ' ')).status, 400);
    assert.equal((await post('x', '[]')).status, 200);
    assert.equal((await post('bad%20name', '[]')).status, 400);
    assert.equal((await post('x', '[]', { 'content-encoding': 'br' })).status, 415);
    assert.equal((await post('x', '[]', { 'content-type': 'application/xml' })).status, 415);
    assert.equal((await post('x', Buffer.from('no gzip'), { 'content-encoding': 'gzip' })).status, 400);
  });

  test('a stream that was seen has its numbers in the status', async () => {
    await post('counted', FRAME);
    await post('counted', { ...dml('INSERT', 5, { after: { ID: 5 } }), qual_table: 'S.UNKNOWN' });
    const response = await stack.get('/api/status', stack.description.functionKey);
    const { streams } = (await response.json()) as Status;
    const found = streams.find(({ source, stream }) => source === 'goldengate' && stream === 'counted');
    assert.deepEqual([found?.received, found?.applied, found?.parked, found?.deadLettered], [8, 4, 1, 0]);
  });
});

/** The JSON objects that stand in a document by themselves. */
function jsonIn(document: string): object[] {
  const lines = document.split(/\r?\n/);
  const found: object[] = [];
  lines.forEach((line, start) => {
    if (line !== '{') return;
    const end = lines.findIndex((each, index) => index > start && each === '}');
    found.push(JSON.parse(lines.slice(start, end + 1).join('\n')));
  });
  return found;
}

/** Raw numbers of a sample row as they are to be stored. */
function exactOf(row: object): object {
  const entries = Object.entries(row).filter(([, value]) => typeof value === 'object' && value !== null);
  return Object.fromEntries(
    entries.map(([name, { rawJSON: text }]: [string, { rawJSON: string }]) => [
      name,
      text.length > 17 ? text : Number(text),
    ]),
  );
}

function sorted(row: object): object {
  return Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}
