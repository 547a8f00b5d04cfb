import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BlobChangeFeedClient } from '@azure/storage-blob-changefeed';
import { openBlobFeed } from '../../../shared/changefeed/blobFeedSource.ts';
import { ChunkCache } from '../../../shared/changefeed/chunkCache.ts';
import { deliveryOf } from '../../../shared/changefeed/feedDelivery.ts';
import { exportToken } from '../../../shared/changefeed/sdkToken.ts';
import { segmentsIn } from '../../../shared/changefeed/segmentIndex.ts';
import { lookAtSegment } from '../../../shared/changefeed/segmentReader.ts';
import { EventBudget } from '../../../shared/changefeed/walkBudget.ts';
import type { Delivery } from '../../../shared/ingest/delivery.ts';
import { FeedFixture, type TestFeed } from './feedFixture.ts';
import { digestOf, expectedDigest, loadRealFeed, realEvents, WITHOUT_REAL_FEED } from './realFeed.ts';
import { replayedRows } from './replay.ts';

describe('the recorded change feed of a real account', { skip: WITHOUT_REAL_FEED }, () => {
  let fixture: FeedFixture;
  let feed: TestFeed;
  before(async () => {
    fixture = await FeedFixture.start();
    feed = fixture.feed();
    await loadRealFeed(feed.container);
    await feed.walk();
  });
  after(() => fixture.close());

  test('gives 1,912 changes with the digest that four other readers agree on, each once', async () => {
    const recorded = new Map((await feed.changes()).map(({ origin }) => [origin.id, origin]));
    const events = realEvents();
    assert.equal(recorded.size, 1912);
    assert.equal((await feed.changes()).length, 1912);
    assert.equal(digestOf(events.flatMap(({ id }) => recorded.get(id)?.id ?? [])), expectedDigest());
    for (const { id, record } of events) assert.deepEqual(recorded.get(id), record);
  });

  test('gives rows equal to replaying it', async () => {
    const rows = (await feed.rows()).map(({ id, deleted, row }) => [id, deleted ? null : row]);
    assert.deepEqual(Object.fromEntries(rows), replayedRows(realEvents().map(({ record }) => record)));
  });

  test('is read in its own order, shard by shard', async () => {
    const source = await openBlobFeed(fixture.azurite, feed.stream);
    const ids: string[] = [];
    const parts = {
      source,
      chunks: new ChunkCache(source),
      budget: new EventBudget(Number.POSITIVE_INFINITY),
      take: async (records: readonly Parameters<typeof deliveryOf>[1][]) => {
        for (const record of records) {
          const decoded: Delivery['decoded'] | undefined = deliveryOf(
            { stream: 's', startMs: undefined },
            record,
          )?.decoded;
          if (decoded !== undefined && 'origin' in decoded) ids.push(String(decoded.origin.id));
        }
      },
      advance: async () => undefined,
      reject: async () => assert.fail('nothing is corrupt'),
    };
    for await (const segment of segmentsIn(source, { after: undefined, through: new Date('2020-06-01T21:00:00Z') })) {
      await lookAtSegment(parts, { segment, shards: [] });
    }
    assert.equal(digestOf(ids), expectedDigest());
  });

  test('can be read on by ours from a token of the JavaScript SDK', async () => {
    const client = await officialClient();
    for await (const page of client.listChanges().byPage({ maxPageSize: 1700 })) {
      const token = JSON.parse(page.continuationToken);
      const { events, error } = await onTheOfficialContainer().walk({ start: { ...token, EndTime: null } });
      assert.deepEqual([page.events.length + events, error], [1912, null]);
      break;
    }
  });

  test('can be read on by the JavaScript SDK from a token of ours', async () => {
    const client = await officialClient();
    const other = onTheOfficialContainer();
    await other.walk({}, 150);
    const { position, host } = (await other.cursor()) ?? {};
    assert.ok(position && host);
    let events = 0;
    for await (const page of client.listChanges().byPage({ continuationToken: exportToken(position, host) })) {
      events += page.events.length;
    }
    assert.equal(events, 1912 - 150);
  });

  function onTheOfficialContainer(): TestFeed {
    return fixture.feed({}, '$blobchangefeed');
  }

  /** The official reader, which takes no other container than the one that it knows. */
  async function officialClient(): Promise<BlobChangeFeedClient> {
    await loadRealFeed(onTheOfficialContainer().container);
    return BlobChangeFeedClient.fromConnectionString(fixture.azurite.connectionString);
  }
});
