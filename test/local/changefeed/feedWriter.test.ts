import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { BlobChangeFeedClient } from '@azure/storage-blob-changefeed';
import { type Azurite, startAzurite } from '../../../local/azurite.ts';
import { BlobAccount } from '../../../local/changefeed/blobAccount.ts';
import { FeedWriter } from '../../../local/changefeed/feedWriter.ts';
import { writeSampleFeed } from '../../../local/changefeed/sampleFeed.ts';

const TEN = new Date('2026-08-07T10:00:00Z');
const HALF_PAST = new Date('2026-08-07T10:30:00Z');

describe('the local change feed', () => {
  let azurite: Azurite;
  before(async () => {
    azurite = await startAzurite({});
  });
  after(() => azurite.close());

  async function json(container: ContainerClient, name: string) {
    return JSON.parse((await container.getBlobClient(name).downloadToBuffer()).toString());
  }

  test('is read by the official reader, in all versions of the schema, but for the open segment', async () => {
    const events = await writeSampleFeed(azurite.connectionString, TEN);
    const versions = new Map<number | undefined, number>();
    for await (const { schemaVersion } of BlobChangeFeedClient.fromConnectionString(
      azurite.connectionString,
    ).listChanges()) {
      versions.set(schemaVersion, (versions.get(schemaVersion) ?? 0) + 1);
    }
    assert.deepEqual([...versions.keys()], [1, 3, 4, 5]);
    const closed = [...versions.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(closed < events && closed > 0.7 * events, `${closed} of ${events}`);
  });

  test('is not written over one that is there', async () => {
    assert.equal(await writeSampleFeed(azurite.connectionString), 0);
  });

  test('closes a segment at the moment the next begins, to the minute', async () => {
    const container = BlobServiceClient.fromConnectionString(azurite.connectionString).getContainerClient('states');
    const writer = new FeedWriter(container, { shards: 2 });
    await writer.enable();
    await writer.beginSegment(TEN);
    const { status, chunkFilePaths } = await json(container, 'idx/segments/2026/08/07/1000/meta.json');
    assert.deepEqual(
      [status, chunkFilePaths],
      ['Publishing', [0, 1].map((shard) => `$blobchangefeed/log/0${shard}/2026/08/07/1000/`)],
    );
    await writer.beginSegment(HALF_PAST);
    assert.equal((await json(container, 'idx/segments/2026/08/07/1000/meta.json')).status, 'Finalized');
    assert.equal((await json(container, 'idx/segments/2026/08/07/1030/meta.json')).status, 'Publishing');
    assert.equal((await json(container, 'meta/segments.json')).lastConsumable, HALF_PAST.toISOString());
  });

  test('grows by whole appends, the header one of its own, and rolls over into new chunks', async () => {
    const container = BlobServiceClient.fromConnectionString(azurite.connectionString).getContainerClient('growth');
    const writer = new FeedWriter(container, { shards: 1 });
    const account = new BlobAccount(TEN);
    await writer.enable();
    await writer.beginSegment(TEN);
    for (let minute = 0; minute < 3; minute++) await writer.append([account.put('c', 'a'), account.put('c', 'b')]);
    await writer.rollOver();
    await writer.append([account.delete('c', 'a')]);
    const counts: (number | undefined)[] = [];
    for (const chunk of ['00000', '00001']) {
      const blob = container.getBlobClient(`log/00/2026/08/07/1000/${chunk}.avro`);
      counts.push((await blob.getProperties()).blobCommittedBlockCount);
    }
    assert.deepEqual(counts, [4, 2]);
  });

  test('takes events only once a segment has begun', async () => {
    const container = BlobServiceClient.fromConnectionString(azurite.connectionString).getContainerClient('closed');
    await assert.rejects(new FeedWriter(container).append([]), { name: 'TypeError', message: /no segment has begun/ });
  });
});
