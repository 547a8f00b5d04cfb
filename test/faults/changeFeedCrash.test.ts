import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BlobAccount } from '../../local/changefeed/blobAccount.ts';
import { FeedFixture, type TestFeed } from '../shared/changefeed/feedFixture.ts';

const TEN = new Date('2026-08-07T10:00:00Z');

describe('a walk over a change feed', () => {
  let fixture: FeedFixture;
  before(async () => {
    fixture = await FeedFixture.start();
  });
  after(() => fixture.close());

  test('that dies at any write of the store, whether it got through or not, is taken up without loss or double', async () => {
    const { proxy } = fixture.testStore;
    const scenario = async () => {
      const feed = fixture.feed({ shards: 2 });
      const account = new BlobAccount(TEN);
      await feed.writer.enable();
      await feed.writer.beginSegment(TEN);
      const puts = Array.from({ length: 6 }, (_, index) => account.put('c', `b${index}`));
      const events = [...puts, account.delete('c', 'b1'), account.put('c', 'b2')];
      await feed.writer.append(events);
      return { feed, events };
    };
    proxy.disarm();
    const { feed: undisturbed } = await scenario();
    await undisturbed.walk({});
    const total = proxy.writes;
    for (let writes = 0; writes < total; writes++) {
      for (const death of ['before', 'after'] as const) {
        const { feed, events } = await scenario();
        proxy.arm(writes, death);
        await assert.rejects(feed.walk({}), { name: 'StoreUnavailableError' });
        proxy.disarm();
        await forgetLease(feed);
        await feed.walk({});
        assert.deepEqual(await feed.ids(), events.map(({ id }) => id).sort(), `${death} write ${writes}`);
        assert.equal((await feed.rows()).filter(({ deleted }) => deleted).length, 1);
      }
    }
  });

  /** The dead walker's lease, lapsed at once. */
  async function forgetLease(feed: TestFeed): Promise<void> {
    const version = await feed.cursorVersion();
    if (version === undefined) return;
    const lease = { ...version.document.lease, until: new Date(0).toISOString() };
    await fixture.store.cursors.write({ ...version.document, lease }, version.etag);
  }
});
