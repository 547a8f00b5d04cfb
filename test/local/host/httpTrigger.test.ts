import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { FunctionsHost } from '../../../local/host/host.ts';
import { eventually, FUNCTION_KEY, startFixture } from './testApp.ts';

const KEY = { 'x-functions-key': FUNCTION_KEY };

describe('the HTTP trigger', () => {
  let host: FunctionsHost & { readonly lines: readonly string[] };
  const closers: (() => void | Promise<void>)[] = [];
  before(async () => {
    host = await startFixture({ after: (close) => void closers.push(close) }, 'http', {
      settings: { A_SETTING: 'set' },
    });
  });
  after(async () => {
    for (const close of closers) {
      await close();
    }
  });

  const raw = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body: Buffer | undefined,
    chunked: boolean,
  ) => {
    const sent = request(`${host.url}${path}`, { method, headers, agent: false });
    if (chunked) {
      sent.write(body);
      sent.end();
    } else {
      sent.end(body);
    }
    const [response] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk);
    }
    return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
  };

  const appPid = async (): Promise<unknown> => {
    const { pid } = Object(await (await fetch(`${host.url}/api/pid`)).json());
    return pid;
  };

  test('a function gets method, path, query, parameters, headers and the bytes of the body', async () => {
    const body = Buffer.from([0, 1, 254, 255, 13, 10]);
    const response = await fetch(`${host.url}/api/echo/sales.v1/7?a=1&a=2&b=x%20y`, {
      method: 'POST',
      headers: { ...KEY, 'x-test': 'yes' },
      body,
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.deepEqual(await response.json(), {
      method: 'POST',
      path: '/api/echo/sales.v1/7',
      query: { a: '1,2', b: 'x y' },
      params: { stream: 'sales.v1', id: '7' },
      header: 'yes',
      bytes: 6,
      body: body.toString('hex'),
    });
  });

  test('a body with a Content-Length arrives whole, a chunked one arrives empty', async () => {
    const body = Buffer.alloc(5_000_000, 7);
    const whole = await raw('POST', '/api/echo/s', { ...KEY, 'content-length': String(body.length) }, body, false);
    const chunked = await raw('POST', '/api/echo/s', KEY, body, true);
    assert.deepEqual(
      [JSON.parse(whole.body.toString()).bytes, JSON.parse(chunked.body.toString()).bytes],
      [5_000_000, 0],
    );
  });

  test('a body over the limit is refused before it is read', async () => {
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
    socket.write(
      `POST /api/echo/s HTTP/1.1\r\nhost: x\r\nx-functions-key: ${FUNCTION_KEY}\r\ncontent-length: 104857601\r\n\r\n`,
    );
    const [answer] = await once(socket, 'data');
    socket.destroy();
    assert.match(String(answer), /^HTTP\/1\.1 413 /);
  });

  test('a function without the right key is 401, with it in the header or in the query it runs', async () => {
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(`${host.url}${path}`, { headers })).status;
    assert.deepEqual(
      [
        await status('/api/echo/s'),
        await status('/api/echo/s', { 'x-functions-key': 'wrong' }),
        await status('/api/echo/s?code=wrong'),
        await status(`/api/echo/s?code=${encodeURIComponent(FUNCTION_KEY)}`),
        await status('/api/echo/s', KEY),
        await status('/api/files'),
      ],
      [401, 401, 401, 200, 200, 200],
    );
  });

  test('an unknown path, a broken constraint and a method that is not listed are 404', async () => {
    const status = async (method: string, path: string) =>
      (await fetch(`${host.url}${path}`, { method, headers: KEY })).status;
    assert.deepEqual(
      [
        await status('GET', '/api/unknown'),
        await status('GET', '/'),
        await status('GET', '/echo/s'),
        await status('GET', '/api/echo/s/notanumber'),
        await status('DELETE', '/api/echo/s'),
        await status('HEAD', '/api/files/x'),
      ],
      [404, 404, 404, 404, 404, 404],
    );
  });

  test('a catch-all takes the rest of the path, and literals match without regard to case', async () => {
    const text = async (path: string) => (await fetch(`${host.url}${path}`)).text();
    assert.deepEqual(
      [await text('/api/files/a/b%20c/d%2Fe'), await text('/API/Files'), await text('/api/generic')],
      ['a/b c/d%2Fe', 'none', 'generic'],
    );
  });

  test('HEAD is answered without a body', async () => {
    const response = await raw('HEAD', '/api/echo/s', KEY, undefined, false);
    assert.deepEqual([response.status, response.body.length], [200, 0]);
  });

  test('status, headers, cookies and binary bodies come back as the function set them', async () => {
    const response = await fetch(`${host.url}/api/answer`);
    assert.deepEqual(
      {
        status: response.status,
        header: response.headers.get('x-answer'),
        cookies: response.headers.getSetCookie(),
        body: Buffer.from(await response.arrayBuffer()).toString('hex'),
      },
      { status: 207, header: 'yes', cookies: ['a=b%20c; path=/; httponly; samesite=Lax'], body: '00ff0a0d' },
    );
  });

  test('a function that returns nothing answers 204, one that throws 500 without any detail', async () => {
    const nothing = await fetch(`${host.url}/api/nothing`);
    const throws = await fetch(`${host.url}/api/throws`);
    assert.deepEqual([nothing.status, throws.status, await throws.text()], [204, 500, '']);
    assert.ok(host.lines.some((line) => line.includes('secret detail')));
  });

  test('hostile requests are answered, and do no harm', async () => {
    const answerTo = async (text: string) => {
      const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
      socket.write(text);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) {
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString().split('\r\n')[0];
    };
    assert.deepEqual(
      [
        await answerTo('GET /api/files/%ff HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
        await answerTo('GET http://elsewhere/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
        await answerTo('GET //evil/api/files HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
        await answerTo('GET /api/files HTTP/1.1\r\nhost: ][\r\nconnection: close\r\n\r\n'),
        await answerTo('no http at all\r\n\r\n'),
      ],
      [
        'HTTP/1.1 400 Bad Request',
        'HTTP/1.1 400 Bad Request',
        'HTTP/1.1 404 Not Found',
        'HTTP/1.1 200 OK',
        'HTTP/1.1 400 Bad Request',
      ],
    );
  });

  test('the app sees its settings, and not the environment of the host', async () => {
    process.env.HOST_SECRET = 'x';
    host.killApp();
    const seen = await (await fetch(`${host.url}/api/pid`)).json();
    delete process.env.HOST_SECRET;
    assert.deepEqual(seen, { pid: host.appPid, setting: 'set', home: 'undefined' });
  });

  test('requests that come while the app restarts wait for it', async () => {
    const before = host.appPid;
    host.killApp();
    await eventually(() => host.appPid !== before);
    const pid = await appPid();
    assert.notEqual(pid, before);
    assert.equal(pid, host.appPid);
  });

  test('an uncaught exception fails what is in flight with 500, and the app comes back', async () => {
    assert.equal((await fetch(`${host.url}/api/crash`)).status, 500);
    assert.equal((await fetch(`${host.url}/api/pid`)).status, 200);
    assert.ok(host.lines.some((line) => line.includes('Uncaught exception: Error: nobody catches this')));
  });

  test('a function that outlasts functionTimeout has its process killed', async () => {
    const before = host.appPid;
    assert.equal((await fetch(`${host.url}/api/slow`)).status, 500);
    const pid = await appPid();
    assert.notEqual(pid, before);
    assert.ok(host.lines.some((line) => line.includes('slow ran longer than 2000 ms')));
  });
});
