import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BlobAccount, type FeedEventRecord } from '../../../local/changefeed/blobAccount.ts';
import { FeedFixture, type TestFeed } from './feedFixture.ts';

const TEN = new Date('2026-08-07T10:00:00Z');
const ELEVEN = new Date('2026-08-07T11:00:00Z');
const TWELVE = new Date('2026-08-07T12:00:00Z');
const MANIFEST_OF_TEN = 'idx/segments/2026/08/07/1000/meta.json';
const CHUNK_OF_TEN = 'log/00/2026/08/07/1000/00000.avro';

describe('a gap in a change feed', () => {
  let fixture: FeedFixture;
  before(async () => {
    fixture = await FeedFixture.start();
  });
  after(() => fixture.close());

  /** A feed whose first segment holds `count` events that were taken in. */
  async function walked(count = 2): Promise<[TestFeed, BlobAccount]> {
    const feed = fixture.feed({ shards: 1 });
    const account = new BlobAccount(TEN);
    await feed.writer.enable();
    await feed.writer.beginSegment(TEN);
    await feed.writer.append(puts(account, count));
    assert.equal((await feed.walk()).events, count);
    return [feed, account];
  }

  function puts(account: BlobAccount, count: number): FeedEventRecord[] {
    return Array.from({ length: count }, (_, index) => account.put('c', `b${index}`));
  }

  /** Walks into the gap, twice, then over it; it is recorded once and stays in sight. Returns the events beyond it. */
  async function cross(feed: TestFeed, kind: string): Promise<number> {
    const before = (await feed.ids()).length;
    for (let walk = 0; walk < 2; walk++) {
      const { outcome, error } = await feed.walk({});
      const cursor = await feed.cursor();
      assert.deepEqual([outcome, cursor?.openGap?.kind, cursor?.gaps, cursor?.error], ['walked', kind, 1, error]);
      assert.equal(typeof error, 'string');
    }
    assert.deepEqual(
      (await feed.ids()).filter((id) => id.includes('-') && !/\d/.test(id)),
      [kind],
    );
    const { events, error } = await feed.walk({ onGap: 'continue' });
    const cursor = await feed.cursor();
    assert.deepEqual([error, cursor?.openGap, cursor?.lastGap?.kind, cursor?.gaps], [null, null, kind, 1]);
    assert.equal((await feed.ids()).length >= before, true);
    return events;
  }

  test('is a segment that is gone when a later one is listed, even if it was read to its end', async () => {
    const [feed, account] = await walked();
    await feed.remove(MANIFEST_OF_TEN);
    assert.deepEqual(await feed.walk(), { outcome: 'walked', events: 0, error: null });
    await feed.writer.beginSegment(ELEVEN);
    await feed.writer.beginSegment(TWELVE);
    await feed.writer.append(puts(account, 3));
    await feed.remove(MANIFEST_OF_TEN);
    assert.equal(await cross(feed, 'segment-gone'), 3);
  });

  test('is a chunk that is gone before its segment was left', async () => {
    const [feed, account] = await walked();
    await feed.writer.rollOver();
    await feed.writer.append(puts(account, 3));
    await feed.remove(CHUNK_OF_TEN);
    assert.equal(await cross(feed, 'chunk-gone'), 3);
  });

  test('is a chunk that is shorter than what was read of it; it is read again', async () => {
    const [feed, account] = await walked(200);
    const chunk = feed.container.getAppendBlobClient(CHUNK_OF_TEN);
    const bytes = await chunk.downloadToBuffer();
    const second = bytes.indexOf(bytes.subarray(-16), 5000) + 16;
    await chunk.create();
    await chunk.appendBlock(bytes.subarray(0, second), second);
    await feed.writer.append(puts(account, 1));
    assert.equal((await cross(feed, 'chunk-shrunk')) > 1, true);
    assert.equal((await feed.ids()).length, 202);
  });

  test('is a chunk that is not the one that was read', async () => {
    const [feed, account] = await walked(3);
    const chunk = feed.container.getAppendBlobClient(CHUNK_OF_TEN);
    await chunk.create();
    const before = (await feed.cursor())?.position?.shards[0]?.offset ?? 0;
    const other = fixture.feed({ shards: 1 });
    await other.writer.enable();
    await other.writer.beginSegment(TEN);
    await other.writer.append([account.put('other', 'x'.repeat(300)), ...puts(account, 9)]);
    const bytes = await other.container.getBlobClient(CHUNK_OF_TEN).downloadToBuffer();
    assert.ok(bytes.length > before);
    await chunk.appendBlock(bytes, bytes.length);
    assert.equal(await cross(feed, 'chunk-rewritten'), 10);
  });

  test('is a finalized chunk that cannot be read to its end; what cannot be read is a dead letter', async () => {
    const [feed, account] = await walked();
    const chunk = feed.container.getAppendBlobClient(CHUNK_OF_TEN);
    await chunk.appendBlock(Buffer.alloc(40, 0xff), 40);
    await feed.writer.beginSegment(ELEVEN);
    await feed.writer.append(puts(account, 3));
    assert.equal(await cross(feed, 'chunk-corrupt'), 3);
    const letters = (await fixture.testStore.documents('deadletters')).filter(({ stream }) => stream === feed.stream);
    assert.deepEqual(
      letters.map(({ reason, byteLength }) => [reason, byteLength]),
      [['undecodable', 40]],
    );
  });

  test('is a newest segment older than what was read; what is there is read again', async () => {
    const [feed, account] = await walked();
    await feed.writer.beginSegment(ELEVEN);
    await feed.writer.append(puts(account, 1));
    await feed.walk();
    await feed.writer.putLastConsumable(TEN);
    await feed.remove('idx/segments/2026/08/07/1100/meta.json');
    assert.equal(await cross(feed, 'feed-went-back'), 2);
    assert.equal((await feed.cursor())?.position?.segment, MANIFEST_OF_TEN);
  });

  test('is a time in which the feed was gone, seen by a walk, though its segments are back', async () => {
    const [feed, account] = await walked();
    const info = await feed.container.getBlobClient('meta/segments.json').downloadToBuffer();
    await feed.remove('meta/segments.json');
    assert.equal((await feed.walk()).error, null);
    await feed.put('meta/segments.json', info);
    await feed.writer.append(puts(account, 3));
    assert.equal(await cross(feed, 'feed-was-off'), 0);
  });

  test('is one gap when the feed was removed and made anew', async () => {
    const [feed, account] = await walked();
    await feed.container.delete();
    assert.match((await feed.walk()).error ?? '', /not enabled/);
    await feed.writer.enable();
    await feed.writer.beginSegment(ELEVEN);
    await feed.remove(MANIFEST_OF_TEN);
    await feed.writer.append(puts(account, 3));
    assert.equal(await cross(feed, 'segment-gone'), 3);
    assert.equal((await feed.cursor())?.absentSince, null);
  });

  test('that closes by itself is stood at no longer, and stays counted', async () => {
    const [feed, account] = await walked();
    const manifest = await feed.container.getBlobClient(MANIFEST_OF_TEN).downloadToBuffer();
    await feed.writer.beginSegment(ELEVEN);
    await feed.writer.append(puts(account, 3));
    await feed.remove(MANIFEST_OF_TEN);
    assert.match((await feed.walk()).error ?? '', /is gone/);
    await feed.put(MANIFEST_OF_TEN, manifest);
    assert.deepEqual(await feed.walk(), { outcome: 'walked', events: 3, error: null });
    const { openGap, gaps } = (await feed.cursor()) ?? {};
    assert.deepEqual([openGap, gaps], [null, 1]);
  });

  test('is not what a cursor of another account finds: it is refused', async () => {
    const [feed] = await walked();
    const version = await feed.cursorVersion();
    assert.ok(version !== undefined);
    await fixture.store.cursors.write({ ...version.document, host: 'other.blob.core.windows.net' }, version.etag);
    const { outcome, error } = await feed.walk({});
    assert.deepEqual([outcome, /belongs to the account at other/.test(error ?? '')], ['failed', true]);
  });
});
