import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { openDatabase } from '../../shared/store/client.ts';
import { selfSignedCertificate } from '../stack/selfSignedCertificate.ts';

const CLIENT_ID = '22222222-2222-4222-8222-222222222222';
const TOKEN = 'token-of-the-identity';
const CHANGED = [
  'IDENTITY_ENDPOINT',
  'IDENTITY_HEADER',
  'AZURE_CLIENT_ID',
  'AZURE_TOKEN_CREDENTIALS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
];

/** A service that gives every request the same answer and keeps what it was asked. */
async function startService(create: (listener: RequestListener) => Server, status: number, body: object) {
  const requests: { readonly url: string; readonly headers: IncomingMessage['headers'] }[] = [];
  const server = create((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port, requests, close };
}

describe('a database without a key', () => {
  let tokens: Awaited<ReturnType<typeof startService>>;
  let cosmos: Awaited<ReturnType<typeof startService>>;
  const unchanged = Object.fromEntries(CHANGED.map((name) => [name, process.env[name]]));
  before(async () => {
    // As App Service offers identities to an app.
    tokens = await startService(createServer, 200, {
      access_token: TOKEN,
      expires_on: String(Math.floor(Date.now() / 1000) + 86_400),
      token_type: 'Bearer',
      client_id: CLIENT_ID,
    });
    cosmos = await startService((listener) => createTlsServer(selfSignedCertificate(), listener), 404, {
      code: 'NotFound',
      message: 'nothing here',
    });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    process.env.IDENTITY_ENDPOINT = `http://127.0.0.1:${tokens.port}/msi/token`;
    process.env.IDENTITY_HEADER = 'header-of-the-app';
    // As infra/modules/appSettings.bicep has it.
    process.env.AZURE_CLIENT_ID = CLIENT_ID;
    process.env.AZURE_TOKEN_CREDENTIALS = 'ManagedIdentityCredential';
  });
  after(() => {
    tokens.close();
    cosmos.close();
    for (const [name, value] of Object.entries(unchanged)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test('is asked with a token of the user-assigned identity that AZURE_CLIENT_ID names', async () => {
    const database = await openDatabase({
      endpoint: `https://127.0.0.1:${cosmos.port}/`,
      key: undefined,
      database: 'tributary',
    });
    assert.equal(tokens.requests.length, 0, 'nothing is asked before the first request');
    await assert.rejects(database.container('rows').read(), { code: 404 });
    database.client.dispose();
    const [asked] = tokens.requests;
    assert.ok(asked !== undefined);
    const query = new URL(asked.url, 'http://127.0.0.1').searchParams;
    assert.equal(query.get('client_id'), CLIENT_ID);
    assert.match(query.get('resource') ?? '', /^https:\/\/127\.0\.0\.1/);
    assert.equal(asked.headers['x-identity-header'], 'header-of-the-app');
    assert.ok(cosmos.requests.length > 0);
    for (const { headers } of cosmos.requests) {
      assert.equal(decodeURIComponent(String(headers.authorization)), `type=aad&ver=1.0&sig=${TOKEN}`);
    }
  });
});
