import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { refuseOtherTypes } from '../../../shared/body/contentType.ts';
import { readableParts } from '../../../shared/body/readableParts.ts';
import { type BodyLimits, readBody } from '../../../shared/body/readBody.ts';
import { type Ingest, respond } from '../../../shared/body/respond.ts';
import type { Outcome } from '../../../shared/ingest/delivery.ts';
import { UnprocessableError } from '../../../shared/ingest/reasons.ts';
import { StoreUnavailableError } from '../../../shared/store/errors.ts';

const LIMITS: BodyLimits = { bodyBytes: 1_000, decompressedBytes: 5_000, nestingLevels: 10, recordsPerRequest: 3 };

interface Sent {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stream?: string;
}

function requestOf({ body = '{}', headers = {}, stream = 's' }: Sent) {
  const bytes = Buffer.from(body);
  const all: Record<string, string> = { 'content-length': String(bytes.length), ...headers };
  return { stream, header: (name: string) => all[name] ?? null, body: async () => bytes };
}

/** Counts each part as applied, as a source would. */
const count: Ingest = async (request) => {
  const body = await readBody(request, LIMITS);
  refuseOtherTypes(request.header('content-type'));
  return [...readableParts(body, LIMITS)].map(({ content }) =>
    content instanceof UnprocessableError
      ? { outcome: 'deadLettered', reason: content.reason, detail: content.message, deadLetterId: 'd' }
      : { outcome: 'applied' },
  );
};

async function statusOf(sent: Sent): Promise<number> {
  return (await respond(requestOf(sent), count)).status;
}

describe('an answer', () => {
  test('counts every record once and names those that were dead-lettered', async () => {
    const outcomes: Outcome[] = [
      { outcome: 'applied' },
      { outcome: 'deadLettered', reason: 'no-key', detail: 'why', deadLetterId: 'id' },
      { outcome: 'duplicate' },
      { outcome: 'stale' },
      { outcome: 'parked' },
      { outcome: 'catalog' },
      { outcome: 'ignored' },
    ];
    assert.deepEqual(await respond(requestOf({}), async () => outcomes), {
      status: 200,
      headers: {},
      body: {
        received: 7,
        applied: 1,
        duplicate: 1,
        stale: 1,
        parked: 1,
        deadLettered: 1,
        catalog: 1,
        ignored: 1,
        errors: [{ index: 1, reason: 'no-key', detail: 'why', deadLetterId: 'id' }],
      },
    });
  });

  test('is 200 when some of the body can be read, 400 when nothing can', async () => {
    assert.equal(await statusOf({ body: '[{"a":1},{"b":]' }), 200);
    assert.equal(await statusOf({ body: '[]' }), 200);
    assert.equal(await statusOf({ body: 'hello' }), 400);
    assert.equal(await statusOf({ body: '{"a":\n{"b":' }), 400);
  });

  test('is 503 with Retry-After when the store is away, and says nothing of the cause to the sender', async () => {
    const { log, ...answer } = await respond(requestOf({}), async () => {
      throw new StoreUnavailableError('rows answered 403');
    });
    assert.match(log ?? '', /rows answered 403/);
    assert.deepEqual(answer, {
      status: 503,
      headers: { 'Retry-After': '5' },
      body: { error: 'not everything could be made durable in time; send the same body again' },
    });
  });

  test('is 503 when time is up, whether the work looks at its deadline or hangs', async () => {
    const looks: Ingest = async (_, deadline) => {
      for (;;) {
        await delay(2);
        deadline.check();
      }
    };
    const hangs: Ingest = () => new Promise(() => undefined);
    for (const ingest of [looks, hangs]) assert.equal((await respond(requestOf({}), ingest, 10)).status, 503);
  });

  test('comes also when there is a fault of ours', async () => {
    const { status, log } = await respond(requestOf({}), async () => {
      throw new TypeError('oops');
    });
    assert.deepEqual([status, log], [500, 'TypeError: oops']);
  });

  test('is 400 for what cannot be the name of a stream', async () => {
    for (const stream of ['', '.x', 'a/b', 'x'.repeat(64), 'ä']) assert.equal(await statusOf({ stream }), 400, stream);
  });
});

describe('a body', () => {
  test('in gzip is decompressed', async () => {
    const headers = { 'content-encoding': 'gzip' };
    assert.equal(await statusOf({ body: gzipSync('[{"a":1}]'), headers }), 200);
    assert.equal(await statusOf({ body: '{"a":1}', headers: { 'content-encoding': 'identity' } }), 200);
  });

  test('in gzip that is cut off, or is none, is a bad request', async () => {
    const headers = { 'content-encoding': 'gzip' };
    assert.equal(await statusOf({ body: gzipSync('[{"a":1}]').subarray(0, 20), headers }), 400);
    assert.equal(await statusOf({ body: '[{"a":1}]', headers }), 400);
  });

  test('in another encoding is refused', async () => {
    for (const encoding of ['br', 'deflate', 'gzip, gzip', 'zstd']) {
      assert.equal(await statusOf({ headers: { 'content-encoding': encoding } }), 415, encoding);
    }
  });

  test('that is too large is refused, before it is read where its length says so, and however it is compressed', async () => {
    assert.equal(await statusOf({ headers: { 'content-length': '1001' } }), 413);
    assert.equal(await statusOf({ body: 'x'.repeat(1_001), headers: { 'content-length': '1' } }), 413);
    const bomb = gzipSync(' '.repeat(5_001));
    assert.equal(await statusOf({ body: bomb, headers: { 'content-encoding': 'gzip' } }), 413);
  });

  test('of too many records is refused', async () => {
    assert.equal(await statusOf({ body: '{}{}{}' }), 200);
    assert.equal(await statusOf({ body: '{}{}{}{}' }), 413);
  });

  test('that arrives empty is refused unless its sender says that it is', async () => {
    const chunked = { ...requestOf({ body: '' }), header: () => null };
    assert.equal((await respond(chunked, count)).status, 411);
    assert.equal(await statusOf({ body: '', headers: { 'content-length': '12' } }), 411);
    assert.equal((await readBody(requestOf({ body: '' }), LIMITS)).byteLength, 0);
  });

  test('is looked at by its content where its type may be a habit of the sender, and refused where it cannot be', async () => {
    const taken = [
      'application/json',
      'application/cloudevents-batch+json; charset=UTF-8',
      'application/vnd.kafka.json.v2+json',
      'text/plain;charset="utf-8"',
      'application/x-www-form-urlencoded',
      'application/octet-stream',
    ];
    for (const type of taken) assert.equal(await statusOf({ headers: { 'content-type': type } }), 200, type);
    const refused = ['multipart/form-data; boundary=x', 'image/png', 'text/xml', 'application/json; charset=utf-16'];
    for (const type of refused) assert.equal(await statusOf({ headers: { 'content-type': type } }), 415, type);
  });
});
