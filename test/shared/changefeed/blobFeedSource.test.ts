import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BlobServiceClient } from '@azure/storage-blob';
import { type Azurite, startAzurite } from '../../../local/azurite.ts';
import { openBlobFeed } from '../../../shared/changefeed/blobFeedSource.ts';
import { readLastConsumable } from '../../../shared/changefeed/manifest.ts';
import { collect } from './collect.ts';

async function serve(listener: RequestListener): Promise<{ server: Server; connectionString: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const key = Buffer.from('key').toString('base64');
  const connectionString = `DefaultEndpointsProtocol=http;AccountName=acct;AccountKey=${key};BlobEndpoint=http://127.0.0.1:${port}/acct;`;
  return { server, connectionString };
}

describe('the change feed of an account', () => {
  let azurite: Azurite;
  before(async () => {
    azurite = await startAzurite({});
  });
  after(() => azurite.close());

  test('that is not there is said to be not enabled', async () => {
    const source = await openBlobFeed(azurite, 'nothing-here');
    const attempts = [
      () => source.read('meta/segments.json'),
      () => source.readRange('x', 0, 1),
      () => collect(source.list('idx/')),
      () => source.folders('idx/'),
    ];
    for (const attempt of attempts) await assert.rejects(attempt, { name: 'FeedNotEnabledError' });
  });

  test('gives blobs, ranges and listings, and tells what is missing from what ends', async () => {
    const container = BlobServiceClient.fromConnectionString(azurite.connectionString).getContainerClient('feed');
    await container.create();
    for (const name of ['a/1', 'a/2', 'b/1']) await container.getBlockBlobClient(name).upload(name, 3);
    const source = await openBlobFeed(azurite, 'feed');
    const text = (bytes: Buffer | undefined) => bytes?.toString();
    assert.deepEqual([text(await source.read('a/1')), await source.read('none')], ['a/1', undefined]);
    const ranges = [await source.readRange('a/1', 1, 9), await source.readRange('a/1', 3, 9)].map(text);
    assert.deepEqual([...ranges, await source.readRange('none', 0, 1)], ['/1', '', undefined]);
    assert.deepEqual(await collect(source.list('a/')), [
      { name: 'a/1', bytes: 3 },
      { name: 'a/2', bytes: 3 },
    ]);
    assert.deepEqual(await source.folders(''), ['a/', 'b/']);
    assert.equal(source.host, '127.0.0.1');
  });

  test('is read whole however many pieces a small file arrives in', async () => {
    const whole = '{"lastConsumable":"2026-08-07T10:00:00Z"}';
    const { server, connectionString } = await serve(async (_, response) => {
      response.writeHead(200, { 'content-length': String(whole.length), etag: '"0x1"' });
      for (const piece of [whole.slice(0, 1), whole.slice(1, 25), whole.slice(25)]) {
        response.write(piece);
        await delay(30);
      }
      response.end();
    });
    const source = await openBlobFeed({ connectionString });
    assert.deepEqual(await readLastConsumable(source), new Date('2026-08-07T10:00:00Z'));
    server.closeAllConnections();
    server.close();
  });

  test('of an account that refuses is an error that says so, and a walk that is given up makes no request', async () => {
    const wrongKey = azurite.connectionString.replace(/AccountKey=[^;]*/, 'AccountKey=d3Jvbmc=');
    const source = await openBlobFeed({ connectionString: wrongKey });
    await assert.rejects(source.read('x'), { name: 'FeedUnavailableError', message: /x could not be read/ });
    const reachable = await openBlobFeed(azurite, 'feed');
    await assert.rejects(reachable.read('a/1', AbortSignal.abort()), { name: 'FeedUnavailableError' });
  });

  test('is not read from a Data Lake endpoint, nor with settings that are none', async () => {
    await assert.rejects(openBlobFeed({ serviceUri: 'https://acct.dfs.core.windows.net' }), {
      name: 'FeedSettingsError',
      message: /Data Lake/,
    });
    await assert.rejects(openBlobFeed({ connectionString: 'nonsense' }), { name: 'FeedSettingsError' });
  });
});
