import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CosmosClient, type OperationInput } from '@azure/cosmos';
import { type CosmosGateway, startCosmosGateway } from '../../../local/cosmos/gateway.ts';
import { BY_PARTITION, statusOf } from './conformanceTarget.ts';

describe('the gateway as a server', () => {
  let gateway: CosmosGateway;
  before(async () => {
    gateway = await startCosmosGateway();
    await call('POST', 'dbs', '', { id: 'db' });
    await call('POST', 'colls', 'dbs/db', { id: 'c', partitionKey: { paths: ['/pk'] } });
  });
  after(() => gateway.close());

  /** A signed request, as raw as a client library would never send it. */
  const call = async (
    method: string,
    type: string,
    link: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: unknown; headers: Headers }> => {
    const date = new Date().toUTCString();
    const text = `${method.toLowerCase()}\n${type}\n${link}\n${date.toLowerCase()}\n\n`;
    const signature = createHmac('sha256', Buffer.from(gateway.key, 'base64')).update(text).digest('base64');
    const isFeed = link.split('/').filter(Boolean).length % 2 === 0 && !link.endsWith(`${type}/x`);
    const url = `${gateway.endpoint}/${[link, isFeed && type].filter(Boolean).join('/')}`;
    const response = await fetch(url, {
      method,
      headers: {
        authorization: encodeURIComponent(`type=master&ver=1.0&sig=${signature}`),
        'x-ms-date': date,
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const answer = await response.text();
    return { status: response.status, body: answer === '' ? undefined : JSON.parse(answer), headers: response.headers };
  };
  const documents = (body: unknown, headers: Record<string, string> = {}) => {
    return call('POST', 'docs', 'dbs/db/colls/c', body, { 'x-ms-documentdb-partitionkey': '["a"]', ...headers });
  };
  const QUERY = { 'x-ms-documentdb-isquery': 'true', 'content-type': 'application/query+json' };
  const BATCH = { 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'true' };

  test('what is not JSON, or not the right JSON, is answered 400 with code and message', async () => {
    const answers = [
      await documents('{"id": "1", "pk"'),
      await documents('[1]'),
      await documents('null'),
      await documents({ pk: 'a' }),
      await documents({ id: 7, pk: 'a' }),
      await documents({ id: 'a/b', pk: 'a' }),
      await documents({ id: 'a?b', pk: 'a' }),
      await documents({ id: '1', pk: { deep: 1 } }),
      await documents({ id: '1', pk: 'a' }, { 'x-ms-documentdb-partitionkey': 'a' }),
      await documents({ id: '1', pk: 'a' }, { 'x-ms-documentdb-partitionkey': '["a","b"]' }),
      await documents({ query: 7 }, QUERY),
      await documents({ query: 'SELECT * FROM c', parameters: [1] }, QUERY),
      await documents({ query: 'SELECT * FROM c' }, { ...QUERY, 'x-ms-max-item-count': 'many' }),
      await documents({ id: 'not a list' }, BATCH),
      await documents([], BATCH),
      await documents([null], BATCH),
      await documents('', QUERY),
    ];
    for (const { status, body } of answers) {
      assert.equal(status, 400);
      const { code, message } = body as { code: string; message: string };
      assert.equal(code, 'BadRequest');
      assert.ok(message.length > 10, message);
    }
  });

  test('a batch of more than a hundred operations is refused', async () => {
    const create = (_: unknown, n: number) => ({ operationType: 'Create', resourceBody: { id: `${n}`, pk: 'a' } });
    assert.equal((await documents(Array.from({ length: 101 }, create), BATCH)).status, 400);
  });

  test('nesting without end is an error, not the end of the process', async () => {
    const deep = 200_000;
    const document = `{"id":"deep","pk":"a","x":${'['.repeat(deep)}${']'.repeat(deep)}}`;
    assert.equal((await documents(document)).status, 400);
    const queries = [
      `SELECT * FROM c WHERE ${'('.repeat(deep)}1${')'.repeat(deep)}`,
      `SELECT * FROM c WHERE ${'NOT '.repeat(deep)}true`,
      `SELECT * FROM c WHERE c${'.a'.repeat(deep)} = 1`,
      `SELECT * FROM c WHERE 1${' + 1'.repeat(deep)} = 1`,
    ];
    for (const query of queries) assert.equal((await documents({ query }, QUERY)).status, 400, query.slice(0, 40));
    const query = `SELECT * FROM c WHERE c.id = '1'${" OR c.id = '1'".repeat(10_000)}`;
    assert.equal((await documents({ query }, QUERY)).status, 200);
  });

  test('a body beyond all limits is answered 413', async () => {
    const { status, body } = await documents({ id: 'big', pk: 'a', text: 'x'.repeat(10 * 1024 * 1024) });
    assert.equal(status, 413);
    assert.equal((body as { code: string }).code, 'RequestEntityTooLarge');
  });

  test('routes and methods that do not exist are 404 and 405', async () => {
    assert.equal((await call('GET', 'sprocs', 'dbs/db/colls/c')).status, 404);
    assert.equal((await call('DELETE', 'docs', 'dbs/db/colls/c')).status, 405);
    assert.equal((await call('PATCH', 'dbs', '', {})).status, 405);
  });

  test('an unsigned or unreadable request is 401 or 400', async () => {
    assert.equal((await fetch(`${gateway.endpoint}/dbs`)).status, 401);
    const headers = { authorization: '%', 'x-ms-date': new Date().toUTCString() };
    assert.equal((await fetch(`${gateway.endpoint}/dbs`, { headers })).status, 401);
    assert.equal((await fetch(`${gateway.endpoint}/dbs/%ff`)).status, 400);
  });

  test('what is not supported is refused by name', async () => {
    const cases: [unknown, Record<string, string>, RegExp][] = [
      [{ query: 'SELECT * FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags)' }, QUERY, /EXISTS/],
      [{ query: 'SELECT * FROM c WHERE c.a & 1 = 1' }, QUERY, /operator '&'/],
      [{ query: 'SELECT udf.f(c) FROM c' }, QUERY, /user defined functions/],
      [{ query: 'SELECT VALUE 1' }, QUERY, /without FROM/],
      [{ query: 'SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a ORDER BY c.a' }, QUERY, /ORDER BY/],
      [{ query: 'SELECT c.a, COUNT(1) AS n FROM c' }, QUERY, /neither an aggregate function nor GROUP BY/],
      [{ query: 'SELECT * FROM c WHERE COUNT(1) = 1' }, QUERY, /aggregate COUNT/],
      [{ query: 'SELECT * FROM c WHERE c.a = @a' }, QUERY, /@a/],
      [{ id: '1', pk: 'a' }, { 'a-im': 'Incremental feed' }, /change feed/],
    ];
    for (const [body, headers, message] of cases) {
      const answer = await documents(body, headers);
      assert.equal(answer.status, 400);
      assert.match((answer.body as { message: string }).message, message);
    }
  });

  test('a syntax error says where', async () => {
    const { body } = await documents({ query: 'SELECT * FROM c WHERE c.a = = 1' }, QUERY);
    assert.deepEqual(JSON.parse((body as { message: string }).message), {
      errors: [
        {
          severity: 'Error',
          location: { start: 28, end: 29 },
          code: 'SC1001',
          message: "Syntax error, incorrect syntax near '=' at position 28.",
        },
      ],
    });
  });

  test('the feed of documents lists them page by page', async () => {
    for (const id of ['f1', 'f2', 'f3']) await documents({ id, pk: 'a' });
    const first = await call('GET', 'docs', 'dbs/db/colls/c', undefined, { 'x-ms-max-item-count': '2' });
    const continuation = first.headers.get('x-ms-continuation') ?? '';
    const second = await call('GET', 'docs', 'dbs/db/colls/c', undefined, { 'x-ms-continuation': continuation });
    const ids = [first, second].flatMap(({ body }) => (body as { Documents: { id: string }[] }).Documents);
    assert.deepEqual(
      ids.map(({ id }) => id),
      ['f1', 'f2', 'f3'],
    );
  });
});

test('closing drops connections that clients keep open', async () => {
  const gateway = await startCosmosGateway();
  const socket = connect(Number(new URL(gateway.endpoint).port), '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await gateway.close();
  await closed;
});

test('a gateway with a key of its own accepts that key only', async () => {
  const key = Buffer.from('a key of its own').toString('base64');
  const gateway = await startCosmosGateway({ key });
  const other = await startCosmosGateway();
  const right = new CosmosClient({ endpoint: gateway.endpoint, key });
  const wrong = new CosmosClient({ endpoint: gateway.endpoint, key: other.key });
  assert.equal(await statusOf(right.databases.create({ id: 'db' })), 201);
  assert.equal(await statusOf(wrong.databases.create({ id: 'db2' })), 401);
  right.dispose();
  wrong.dispose();
  await gateway.close();
  await other.close();
});

test('with a file, everything outlives the gateway', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cosmos-'));
  const file = join(directory, 'cosmos.sqlite');
  const first = await startCosmosGateway({ file });
  const writer = new CosmosClient({ endpoint: first.endpoint, key: first.key });
  const { database } = await writer.databases.create({ id: 'db' });
  const { container } = await database.containers.create({ id: 'c', ...BY_PARTITION, defaultTtl: 3600 });
  const { resource } = await container.items.create({ id: '1', pk: 'a', text: 'kept' });
  writer.dispose();
  await first.close();

  const second = await startCosmosGateway({ file });
  const reader = new CosmosClient({ endpoint: second.endpoint, key: second.key });
  const kept = reader.database('db').container('c');
  assert.deepEqual((await kept.item('1', 'a').read()).resource, resource);
  assert.equal((await kept.read()).resource?.defaultTtl, 3600);
  const created = await kept.items.create({ id: '2', pk: 'a' });
  assert.notEqual(created.resource?._rid, resource?._rid);
  assert.notEqual(created.etag, resource?._etag);
  reader.dispose();
  await second.close();
  await rm(directory, { recursive: true });
});

test('a throttled container answers 429 with the time to wait, and the client comes back', async () => {
  const gateway = await startCosmosGateway({ requestUnitsPerSecond: 100 });
  const endpoint = gateway.endpoint;
  const impatient = new CosmosClient({
    endpoint,
    key: gateway.key,
    connectionPolicy: { retryOptions: { maxRetryAttemptCount: 0 } },
  });
  const patient = new CosmosClient({ endpoint, key: gateway.key });
  const { database } = await impatient.databases.create({ id: 'db' });
  const { container } = await database.containers.create({ id: 'c', ...BY_PARTITION });
  const operations = Array.from({ length: 60 }, (_, n): OperationInput => {
    return { operationType: 'Create', partitionKey: 'a', resourceBody: { id: String(n), pk: 'a' } };
  });
  const results = await container.items.bulk(operations);
  const codes = results.map((result) => result.statusCode);
  assert.deepEqual(new Set(codes), new Set([201, 429]));
  const refused = results.find((result) => result.statusCode === 429);
  assert.ok(refused !== undefined && 'retryAfterMilliseconds' in refused);
  assert.ok(Number(refused.retryAfterMilliseconds) > 0);
  // One large document costs more than a second's budget, which leaves the container overdrawn for a while.
  const large = { id: 'large', pk: 'a', text: 'x'.repeat(300_000) };
  await patient.database('db').container('c').items.create(large);
  await assert.rejects(container.item('0', 'a').read(), { code: 429, substatus: 3200 });
  const { resource } = await patient.database('db').container('c').item('0', 'a').read();
  assert.equal(resource?.id, '0');
  impatient.dispose();
  patient.dispose();
  await gateway.close();
});
