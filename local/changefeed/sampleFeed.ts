import { BlobServiceClient } from '@azure/storage-blob';
import { BlobAccount, type FeedEventRecord } from './blobAccount.ts';
import { SCHEMA_VERSIONS, type SchemaVersion } from './feedSchema.ts';
import { FeedWriter } from './feedWriter.ts';

export const FEED_CONTAINER = '$blobchangefeed';

/** Nobody can write into the change feed of a real account. */
const EMULATED_ACCOUNT = 'devstoreaccount1';

/** The newest of the sample segments begins with the hour; the others an hour apart before it. */
const MS_PER_HOUR = 3_600_000;
const CONTAINER = 'pictures';
const BLOBS = 12;

/**
 * Writes a change feed of five hours, one in each version of the schema, into an emulated account that has none: blobs
 * that come, change, go and come back, in several shards and chunks. Returns the number of events, 0 where it wrote none.
 */
export async function writeSampleFeed(connectionString: string, now = new Date()): Promise<number> {
  const container = BlobServiceClient.fromConnectionString(connectionString).getContainerClient(FEED_CONTAINER);
  if (container.accountName !== EMULATED_ACCOUNT || (await container.exists())) return 0;
  const writer = new FeedWriter(container, { shards: 3 });
  await writer.enable();
  const newest = Math.floor(now.getTime() / MS_PER_HOUR) * MS_PER_HOUR;
  let count = 0;
  for (const [index, version] of SCHEMA_VERSIONS.entries()) {
    const begin = new Date(newest - (SCHEMA_VERSIONS.length - 1 - index) * MS_PER_HOUR);
    const account = new BlobAccount(begin, version, count);
    await writer.beginSegment(begin, version);
    const events = hourOf(account, version);
    const half = Math.ceil(events.length / 2);
    await writer.append(events.slice(0, half));
    await writer.rollOver();
    await writer.append(events.slice(half));
    count = account.count;
  }
  return count;
}

/** What happens in the hour that is recorded in `version`: the more it can tell, the more happens. */
export function hourOf(account: BlobAccount, version: SchemaVersion): FeedEventRecord[] {
  const blob = (number: number) => `2026/${String(number % BLOBS).padStart(2, '0')}.jpg`;
  const events = Array.from({ length: BLOBS }, (_, number) =>
    account.put(CONTAINER, blob(number), {
      contentLength: 1000 * version + number,
      contentType: 'image/jpeg',
      blobTier: version < 4 ? null : 'Hot',
    }),
  );
  if (version === 1) events.push(account.event('BlobMetadataUpdated', 'SetBlobMetadata', CONTAINER, blob(1)));
  if (version >= 3) {
    events.push(account.setContentType(CONTAINER, blob(1), 'image/png', 'image/jpeg'));
    events.push(account.snapshot(CONTAINER, blob(2)));
  }
  events.push(account.delete(CONTAINER, blob(3)), account.delete(CONTAINER, blob(4)));
  if (version >= 3) events.push(account.undelete(CONTAINER, blob(4)));
  if (version >= 4) {
    events.push(account.setTier(CONTAINER, blob(5), version >= 6 ? 'Cold' : 'Cool', 'Hot'));
    events.push(account.setTier(CONTAINER, blob(6), 'Archive', 'Hot'), account.rehydrate(CONTAINER, blob(6), 'Hot'));
  }
  if (version >= 5) {
    events.push(account.setTags(CONTAINER, blob(7), { album: 'summer' }, {}));
    events.push(account.restorePoint('before the tidying'));
  }
  return events;
}
