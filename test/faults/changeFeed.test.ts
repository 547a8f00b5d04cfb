import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BlobServiceClient } from '@azure/storage-blob';
import { SeededRandom } from '../../local/samples/random.ts';
import { startFunction } from '../../local/sampleTraffic.ts';
import type { FeedCursorDocument } from '../../shared/ingest/cursorStore.ts';
import { FeedFixture } from '../shared/changefeed/feedFixture.ts';
import { loadRealFeed, realEvents, WITHOUT_REAL_FEED } from '../shared/changefeed/realFeed.ts';
import { replayedRows } from '../shared/changefeed/replay.ts';
import { eventually, startTestStack, type TestStack } from '../stack/testStack.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const KILLS = 20;
/** After the function was started the app lives this long at the most: a walk of the whole feed takes longer. */
const MAX_LIFE_MS = 400;
const SMALL_CHUNK_EVENTS = 102;

describe('the recorded change feed, with a new walker after every single event', { skip: WITHOUT_REAL_FEED }, () => {
  let fixture: FeedFixture;
  before(async () => {
    fixture = await FeedFixture.start();
  });
  after(() => fixture.close());

  test('gives each event of the smaller chunks exactly once', async () => {
    const byChunk = Map.groupBy(realEvents(), ({ chunk }) => chunk);
    const small = [...byChunk].filter(([, events]) => events.length <= SMALL_CHUNK_EVENTS);
    const segments = new Set(small.map(([chunk]) => chunk.slice('log/00/'.length, -'/00000.avro'.length)));
    const feed = fixture.feed();
    await loadRealFeed(
      feed.container,
      (name) => name.startsWith('meta/') || [...segments].some((path) => name.includes(path)),
    );
    const expected = small.flatMap(([, events]) => events.map(({ id }) => id));
    for (let walked = 0; walked < expected.length; walked++) {
      const { events, error } = await feed.walk({}, 1);
      assert.deepEqual([events, error], [1, null], `walker ${walked}`);
    }
    assert.equal((await feed.walk({})).events, 0);
    assert.deepEqual(await feed.ids(), expected.sort());
  });
});

describe('the recorded change feed, in pages with a new walker for each', { skip: WITHOUT_REAL_FEED }, () => {
  let fixture: FeedFixture;
  before(async () => {
    fixture = await FeedFixture.start();
  });
  after(() => fixture.close());

  for (const size of [7, 50, 113, 500]) {
    test(`of ${size} events gives each event exactly once`, async () => {
      const feed = fixture.feed();
      await loadRealFeed(feed.container);
      let total = 0;
      for (let events = size; events === size; total += events) ({ events } = await feed.walk({}, size));
      assert.deepEqual([total, new Set(await feed.ids()).size], [1912, 1912]);
    });
  }
});

describe(`the recorded change feed, the app killed ${KILLS} times (SEED=${SEED})`, { skip: WITHOUT_REAL_FEED }, () => {
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack();
  });
  after(() => stack.close());

  test('gives each event exactly once, and rows equal to replaying it', async () => {
    const random = new SeededRandom(SEED);
    const service = BlobServiceClient.fromConnectionString(stack.description.blobConnectionString);
    await loadRealFeed(service.getContainerClient('$blobchangefeed'));
    for (let kills = 0; kills < KILLS; kills++) {
      await startWhenUp();
      await delay(random.integer(1, MAX_LIFE_MS));
      stack.host.killApp('SIGKILL');
      await lapseLease();
    }
    await startWhenUp();
    const changes = () => stack.documents<{ origin: { id: string } }>('changes');
    const isAll = ({ length }: { readonly length: number }) => length >= realEvents().length;
    const recorded = await eventually(changes, isAll, { patienceMs: 60_000, pollMs: 500 });
    assert.deepEqual(
      recorded.map(({ origin }) => origin.id).sort(),
      realEvents()
        .map(({ id }) => id)
        .sort(),
    );
    const expected = replayedRows(realEvents().map(({ record }) => record));
    const rows = await eventually(
      async () => Object.fromEntries((await stack.rows()).map(({ id, deleted, row }) => [id, deleted ? null : row])),
      (found) => Object.keys(found).length === Object.keys(expected).length,
    );
    assert.deepEqual(rows, expected);
    assert.deepEqual(await stack.documents('deadletters'), []);
  });

  async function startWhenUp(): Promise<void> {
    await eventually(
      async () => stack.host.appPid,
      (pid) => pid !== undefined,
    );
    await startFunction(stack.description, 'changeFeed');
  }

  /** As if so much time had passed: a walker that was killed leaves a lease behind. */
  async function lapseLease(): Promise<void> {
    const [cursor] = (await stack.documents<FeedCursorDocument>('cursors')).filter(({ kind }) => kind === 'feedCursor');
    if (cursor === undefined) return;
    const lease = { ...cursor.lease, until: new Date(0).toISOString() };
    await stack.container('cursors').items.upsert({ ...cursor, lease });
  }
});
