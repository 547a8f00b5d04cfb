import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { avroHeader } from '../../../local/changefeed/avroFile.ts';
import { BlobAccount, type FeedEventRecord } from '../../../local/changefeed/blobAccount.ts';
import { feedSchema } from '../../../local/changefeed/feedSchema.ts';
import { TimeBudget } from '../../../shared/changefeed/walkBudget.ts';
import { FeedFixture, type TestFeed } from './feedFixture.ts';

const TEN = new Date('2026-08-07T10:00:00Z');
const ELEVEN = new Date('2026-08-07T11:00:00Z');
const TWELVE = new Date('2026-08-07T12:10:00Z');

function idsOf(...events: readonly FeedEventRecord[][]): string[] {
  return events
    .flat()
    .map(({ id }) => id)
    .sort();
}

function puts(account: BlobAccount, count: number): FeedEventRecord[] {
  return Array.from({ length: count }, (_, index) => account.put('c', `b${index}`));
}

describe('walking a change feed', () => {
  let fixture: FeedFixture;
  before(async () => {
    fixture = await FeedFixture.start();
  });
  after(() => fixture.close());

  async function begun(options: { shards?: number; begin?: Date } = {}): Promise<[TestFeed, BlobAccount]> {
    const feed = fixture.feed({ shards: options.shards ?? 1 });
    const begin = options.begin ?? TEN;
    await feed.writer.enable();
    await feed.writer.beginSegment(begin);
    return [feed, new BlobAccount(begin)];
  }

  test('takes in the open segment and comes back for its growth, several shards and chunks of it', async () => {
    const [feed, account] = await begun({ shards: 3 });
    const all: FeedEventRecord[][] = [];
    for (const count of [5, 1, 0, 300]) {
      all.push(puts(account, count));
      await feed.writer.append(all.at(-1) ?? []);
      await feed.walk();
      assert.deepEqual(await feed.ids(), idsOf(...all));
    }
    await feed.writer.rollOver();
    await feed.walk();
    all.push(puts(account, 40));
    await feed.writer.append(all.at(-1) ?? []);
    await feed.walk();
    assert.deepEqual(await feed.ids(), idsOf(...all));
  });

  test('keeps every shard in the cursor, those that are drained too, each at the end of its newest chunk', async () => {
    const [feed, account] = await begun({ shards: 3 });
    await feed.writer.append(puts(account, 40));
    await feed.walk({}, 39);
    await feed.walk({});
    const shards = (await feed.cursor())?.position?.shards ?? [];
    assert.equal(shards.length, 3);
    for (const { chunk, offset, events } of shards) {
      const { contentLength } = await feed.container.getBlobClient(chunk).getProperties();
      assert.deepEqual([offset, events], [contentLength, 0]);
    }
  });

  test('is done by one walker at a time, however many come', async () => {
    const [feed, account] = await begun({ shards: 2 });
    const events = puts(account, 50);
    await feed.writer.append(events);
    const reports = await Promise.all([feed.walk({}), feed.walk({}), feed.walk({})]);
    assert.equal(
      reports.reduce((sum, report) => sum + report.events, 0),
      50,
    );
    assert.deepEqual(await feed.ids(), idsOf(events));
  });

  test('stops when its time is over, and is taken up where it stood', async () => {
    const [feed, account] = await begun();
    const events = puts(account, 3);
    await feed.writer.append(events);
    assert.equal((await feed.consumer().walk(new TimeBudget(0))).events, 0);
    assert.equal((await feed.cursor())?.lease.owner, null);
    assert.equal((await feed.consumer().walk(new TimeBudget(60_000))).events, 3);
  });

  test('in the mode `finalized` waits until a segment is closed, and then takes in each event once', async () => {
    const [feed, account] = await begun();
    const events = puts(account, 31);
    await feed.writer.append(events);
    await feed.walk({ mode: 'finalized' });
    assert.deepEqual([await feed.ids(), (await feed.cursor())?.position], [[], null]);
    await feed.writer.beginSegment(ELEVEN);
    await feed.walk({ mode: 'finalized' });
    await feed.walk({ mode: 'finalized' });
    assert.deepEqual(await feed.ids(), idsOf(events));
  });

  test('takes in what was appended to a segment after a later one had begun', async () => {
    const [feed, account] = await begun();
    const early = puts(account, 3);
    await feed.writer.append(early);
    await feed.walk();
    const late = puts(account, 2);
    await feed.writer.append(late);
    await feed.writer.beginSegment(ELEVEN);
    const next = puts(account, 4);
    await feed.writer.append(next);
    await feed.walk();
    assert.deepEqual(await feed.ids(), idsOf(early, late, next));
    assert.equal((await feed.cursor())?.position?.segment, 'idx/segments/2026/08/07/1100/meta.json');
  });

  test('leaves a segment that is never finalized once a later one exists and it no longer grows', async () => {
    const [feed, account] = await begun();
    const first = puts(account, 3);
    await feed.writer.append(first);
    const manifest = await feed.container.getBlobClient('idx/segments/2026/08/07/1000/meta.json').downloadToBuffer();
    await feed.writer.beginSegment(ELEVEN);
    await feed.put('idx/segments/2026/08/07/1000/meta.json', manifest);
    const second = puts(account, 2);
    await feed.writer.append(second);
    await feed.walk();
    assert.deepEqual(await feed.ids(), idsOf(first, second));
  });

  test('reads segments that begin at any minute and are hours apart, and finds no gap there', async () => {
    const [feed, account] = await begun();
    const first = puts(account, 1);
    await feed.writer.append(first);
    await feed.writer.beginSegment(TWELVE);
    const second = puts(account, 1);
    await feed.writer.append(second);
    await feed.walk();
    assert.deepEqual(await feed.ids(), idsOf(first, second));
    const cursor = await feed.cursor();
    assert.deepEqual([cursor?.position?.segment, cursor?.gaps], ['idx/segments/2026/08/07/1210/meta.json', 0]);
  });

  test('never reads a segment after the last consumable one', async () => {
    const [feed, account] = await begun();
    await feed.writer.append(puts(account, 1));
    await feed.writer.beginSegment(ELEVEN);
    await feed.writer.append(puts(account, 1));
    await feed.writer.putLastConsumable(TEN);
    await feed.walk();
    assert.equal((await feed.ids()).length, 1);
  });

  test('finds nothing in a feed that is not there, is new, or is empty, and says which', async () => {
    const feed = fixture.feed();
    const { error } = await feed.walk();
    assert.match(error ?? '', /change feed is not enabled/);
    assert.match((await feed.cursor())?.error ?? '', /change feed is not enabled/);
    await feed.writer.enable();
    assert.deepEqual(await feed.walk(), { outcome: 'walked', events: 0, error: null });
    await feed.writer.putLastConsumable(new Date('1601-01-01T00:00:00Z'));
    assert.deepEqual(await feed.walk(), { outcome: 'walked', events: 0, error: null });
    await feed.writer.putLastConsumable(TEN);
    assert.deepEqual(await feed.walk(), { outcome: 'walked', events: 0, error: null });
    const { position, error: none, lease } = (await feed.cursor()) ?? {};
    assert.deepEqual([position, none, lease?.owner, lease?.fence], [null, null, null, 4]);
  });

  test('finds no events in manifests without shards, shards without chunks, and chunks without blocks', async () => {
    const [feed, account] = await begun();
    const none = { outcome: 'walked', events: 0, error: null };
    const manifest = 'idx/segments/2026/08/07/1000/meta.json';
    await feed.put(manifest, JSON.stringify({ status: 'Publishing', chunkFilePaths: [], config: { numShards: 3 } }));
    assert.deepEqual(await feed.walk(), none);
    const shard = '$blobchangefeed/log/00/2026/08/07/1000/';
    const unknown = { streamAppendType: 3, numShards: 7 };
    await feed.put(manifest, JSON.stringify({ status: 'Publishing', chunkFilePaths: [shard], config: unknown }));
    assert.deepEqual(await feed.walk(), none);
    const chunk = feed.container.getAppendBlobClient('log/00/2026/08/07/1000/00000.avro');
    await chunk.create();
    assert.deepEqual(await feed.walk(), none);
    const header = avroHeader(feedSchema(5));
    await chunk.appendBlock(header, header.length);
    assert.deepEqual(await feed.walk(), none);
    await feed.writer.rollOver();
    await feed.writer.rollOver();
    const events = puts(account, 31);
    await feed.writer.append(events);
    assert.deepEqual(await feed.walk(), { ...none, events: 31 });
    assert.deepEqual(await feed.ids(), idsOf(events));
  });

  test('takes a torn tail for "not yet" while the segment is open, and for corrupt once it is finalized', async () => {
    const [feed, account] = await begun();
    const whole = puts(account, 2);
    await feed.writer.append(whole);
    const chunk = feed.container.getAppendBlobClient('log/00/2026/08/07/1000/00000.avro');
    await chunk.appendBlock(Buffer.from([4]), 1);
    assert.deepEqual(await feed.walk(), { outcome: 'walked', events: 2, error: null });
    await feed.writer.beginSegment(ELEVEN);
    await feed.writer.append(puts(account, 1));
    assert.match((await feed.walk()).error ?? '', /cannot be read to its end/);
    assert.equal((await feed.walk({ onGap: 'continue' })).events, 1);
    assert.deepEqual((await feed.ids()).length, 4);
    assert.equal((await feed.cursor())?.gaps, 1);
  });

  test('begins at the start time, reads the segment that holds it, and leaves out the events before it', async () => {
    const [feed, account] = await begun();
    const events = puts(account, 4);
    await feed.writer.append(events);
    await feed.writer.beginSegment(ELEVEN);
    account.now = ELEVEN;
    const later = puts(account, 2);
    await feed.writer.append(later);
    await feed.walk({ start: events[2]?.eventTime.replace(/\d{4}Z$/, 'Z') ?? '' });
    assert.deepEqual(await feed.ids(), idsOf(events.slice(2), later));
    const other = fixture.feed();
    await other.writer.enable();
    await other.writer.beginSegment(TEN);
    await other.writer.append(puts(account, 4));
    await other.walk({ start: '2026-08-07T11:16:00Z' });
    assert.equal((await other.cursor())?.position, null);
  });

  test('drops the internal records of the feed', async () => {
    const [feed, account] = await begun();
    const event = account.put('c', 'b');
    await feed.writer.append([account.control(), event, account.control()]);
    assert.equal((await feed.walk()).events, 1);
    assert.deepEqual(await feed.ids(), [event.id]);
  });

  test('goes on after every single event, one walker each, across blocks, chunks, shards and segments', async () => {
    const [feed, account] = await begun({ shards: 3 });
    const all: FeedEventRecord[][] = [];
    for (const begin of [TEN, ELEVEN]) {
      if (begin !== TEN) await feed.writer.beginSegment(begin);
      for (const count of [3, 2, 4, 1]) {
        all.push(puts(account, count));
        await feed.writer.append(all.at(-1) ?? []);
        if (count === 2) await feed.writer.rollOver();
      }
    }
    const total = all.flat().length;
    for (let walked = 0; walked < total; walked++) {
      assert.deepEqual(await feed.walk({}, 1), { outcome: 'walked', events: 1, error: null });
    }
    assert.deepEqual(await feed.walk({}), { outcome: 'walked', events: 0, error: null });
    assert.deepEqual(await feed.ids(), idsOf(...all));
  });
});
