import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { BlobAccount } from '../../../local/changefeed/blobAccount.ts';
import { FeedFixture, type TestFeed } from './feedFixture.ts';

const TEN = new Date('2026-08-07T10:00:00Z');
const SHARDS = 3;

/** Paths of the storage requests that `work` makes, without the container. */
async function requestsOf(feed: TestFeed, work: () => Promise<unknown>): Promise<string[]> {
  const paths: string[] = [];
  const note = (message: unknown) => {
    const { method, path } = (message as { request: ClientRequest }).request;
    const [, inside] = path.split(`/${feed.stream}`);
    if (inside !== undefined) paths.push(`${method} ${decodeURIComponent(inside)}`);
  };
  subscribe('http.client.request.start', note);
  try {
    await work();
  } finally {
    unsubscribe('http.client.request.start', note);
  }
  return paths;
}

describe('storage requests', () => {
  let fixture: FeedFixture;
  before(async () => {
    fixture = await FeedFixture.start();
  });
  after(() => fixture.close());

  async function walkedFeed(): Promise<[TestFeed, BlobAccount]> {
    const feed = fixture.feed({ shards: SHARDS });
    const account = new BlobAccount(TEN);
    await feed.writer.enable();
    await feed.writer.beginSegment(TEN);
    await feed.writer.append(Array.from({ length: 20 }, (_, index) => account.put('c', `b${index}`)));
    await feed.walk();
    return [feed, account];
  }

  test('of an idle tick are two, and one per shard of the open segment', async () => {
    const [feed] = await walkedFeed();
    const paths = await requestsOf(feed, () => feed.walk());
    assert.deepEqual(paths.slice(0, 2), ['GET /meta/segments.json', 'GET /idx/segments/2026/08/07/1000/meta.json']);
    assert.equal(paths.length, 2 + SHARDS);
  });

  test('of an idle tick are three, and one per shard, where the last consumable segment is not there', async () => {
    const [feed] = await walkedFeed();
    await feed.writer.putLastConsumable(new Date('2026-08-07T11:00:00Z'));
    await feed.writer.finalize();
    assert.equal((await requestsOf(feed, () => feed.walk())).length, 3 + SHARDS);
  });

  test('for a chunk that has grown are one more, for its header is known', async () => {
    const [feed, account] = await walkedFeed();
    await feed.writer.append([account.put('c', 'b1')]);
    assert.equal((await requestsOf(feed, () => feed.walk())).length, 2 + SHARDS + 1);
  });
});
