import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BlobServiceClient } from '@azure/storage-blob';
import { BlobAccount } from '../../local/changefeed/blobAccount.ts';
import { FeedWriter } from '../../local/changefeed/feedWriter.ts';
import { FEED_CONTAINER, writeSampleFeed } from '../../local/changefeed/sampleFeed.ts';
import { startFunction } from '../../local/sampleTraffic.ts';
import type { Status, StreamStatus } from '../../shared/operate/status.ts';
import type { CounterDocument } from '../../shared/store/counters.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';

/** An hour that the sample feed, which ends with the current one, does not reach. */
const SOON = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 3_600_000);

describe('the change feed of the local storage account', () => {
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack();
  });
  after(() => stack.close());

  async function status(): Promise<StreamStatus | undefined> {
    const answer = await stack.get('/api/status', stack.description.functionKey);
    return ((await answer.json()) as Status).streams.find(({ source }) => source === 'blob');
  }

  /** Starts the timer's function until the status is as wanted. */
  async function walkUntil(isDone: (status: StreamStatus | undefined) => boolean): Promise<StreamStatus | undefined> {
    await startFunction(stack.description, 'changeFeed');
    return eventually(status, isDone);
  }

  test('says in the status that it is not enabled, and nothing is wrong with anything else', async () => {
    const found = await walkUntil((each) => each?.error !== null);
    assert.match(found?.error ?? '', /change feed is not enabled/);
    assert.deepEqual([found?.received, found?.gaps, found?.cursor], [0, 0, null]);
    const documents = await stack.documents<CounterDocument>('cursors');
    assert.deepEqual(
      documents.filter(({ source }) => source === 'blob').map(({ id }) => id),
      ['feed:blob:devstoreaccount1'],
    );
    assert.deepEqual(await stack.documents('deadletters'), []);
  });

  test('becomes rows, a tombstone, and a history with all events', async () => {
    const events = await writeSampleFeed(stack.description.blobConnectionString);
    const found = await walkUntil((each) => each?.received === events && each.error === null);
    assert.deepEqual(
      [found?.applied, found?.duplicate, found?.stale, found?.deadLettered, found?.gaps, found?.error],
      [events, 0, 0, 0, 0, null],
    );
    assert.equal(JSON.parse(found?.cursor ?? '').CursorVersion, 1);
    assert.equal(typeof found?.lagSeconds, 'number');
    const rows = (await stack.rows()).filter(({ table }) => table === 'blob/devstoreaccount1/blobs');
    const row = (id: string) => rows.find((each) => each.id === id);
    assert.deepEqual(row('pictures,2026%2F03.jpg')?.deleted, true);
    assert.deepEqual(row('pictures,2026%2F05.jpg')?.row.blobTier, 'Cold');
    assert.deepEqual(row('pictures,2026%2F07.jpg')?.row.tags, { album: 'summer' });
    assert.equal(rows.filter(({ keys }) => 'snapshot' in keys).length, 4);
    assert.equal((await stack.documents('changes')).length, events);
  });

  test('with a gap stands still, says so in status, history and counters, until the settings allow to go on', async () => {
    const service = BlobServiceClient.fromConnectionString(stack.description.blobConnectionString);
    const container = service.getContainerClient(FEED_CONTAINER);
    const cursor = JSON.parse((await status())?.cursor ?? '');
    await container.deleteBlob(cursor.CurrentSegmentCursor.SegmentPath);
    const writer = new FeedWriter(container);
    await writer.beginSegment(SOON);
    await writer.append([new BlobAccount(SOON).put('c', 'beyond')]);
    const found = await walkUntil((each) => each?.gaps === 1);
    assert.equal(found?.gaps, 1);
    assert.match((await eventually(status, (each) => each?.error !== null))?.error ?? '', /is gone/);
    const changes = await stack.documents<{ op: string; keys: unknown; origin: { gap?: { kind: string } } }>('changes');
    const markers = changes.filter(({ origin }) => origin.gap !== undefined);
    assert.deepEqual(
      markers.map(({ op, keys, origin }) => [op, keys, origin.gap?.kind]),
      [['marker', null, 'segment-gone']],
    );
    assert.equal(
      (await stack.rows()).some(({ id }) => id === 'c,beyond'),
      false,
    );
  });
});
