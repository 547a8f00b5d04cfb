import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BlobAccount } from '../../../local/changefeed/blobAccount.ts';
import type { NormalizedChange } from '../../../shared/change/change.ts';
import type { JsonValue } from '../../../shared/change/json.ts';
import { unkeyedKey } from '../../../shared/change/keys.ts';
import { readEvent } from '../../../shared/changefeed/feedEvent.ts';
import { normaliseEvent } from '../../../shared/changefeed/normalise.ts';

const account = new BlobAccount(new Date('2026-08-07T10:00:00Z'));

function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

function changeOf(record: unknown): NormalizedChange {
  const event = readEvent(asJson(record));
  assert.ok(event !== undefined);
  return normaliseEvent('acct', event);
}

function summary({ op, image, keys, before, after }: NormalizedChange) {
  return { op, image, keys, before, after };
}

/** What every partial image of these events says. */
const common = (record: { readonly eventTime: string; readonly eventType: string; readonly data: object }) => {
  const { etag, url, contentType, contentLength, blobType, containerVersion, api } = Object(record.data);
  const last = { lastEventType: record.eventType, lastEventTime: record.eventTime, lastApi: api };
  return { etag, url, contentType, contentLength, blobType, containerVersion, ...last };
};

describe('an event of the change feed', () => {
  test('that creates a blob is its full image, with the sequencer as token and the event untouched', () => {
    const record = account.put('pictures', 'a/b.jpg', { contentLength: 5, blobType: 'PageBlob' });
    const { sequencer } = Object(record.data);
    assert.deepEqual(changeOf(record), {
      source: 'blob',
      stream: 'acct',
      table: 'blob/acct/blobs',
      identity: `blob/acct/${record.id}`,
      op: 'upsert',
      image: 'full',
      keys: { container: 'pictures', blob: 'a/b.jpg' },
      key: 'pictures,a%2Fb.jpg',
      before: null,
      after: { ...common(record), blobType: 'PageBlob', blobTier: 'Hot', blobVersion: null },
      token: `${sequencer}:2`,
      committedAt: record.eventTime,
      transaction: null,
      origin: asJson(record),
    });
  });

  test('that undeletes a blob is a full image too, though it names a snapshot', () => {
    const record = account.undelete('pictures', 'a.jpg');
    const snapshot = '2022-02-17T16:09:16.7261278Z';
    const change = changeOf({ ...record, data: { ...record.data, snapshot } });
    assert.deepEqual(
      [change.op, change.image, change.keys],
      ['upsert', 'full', { container: 'pictures', blob: 'a.jpg' }],
    );
  });

  test('that deletes a blob is a delete', () => {
    const keys = { container: 'pictures', blob: 'a.jpg' };
    const change = changeOf(account.delete('pictures', 'a.jpg'));
    assert.deepEqual(summary(change), { op: 'delete', image: 'none', keys, before: null, after: null });
    assert.equal(change.token.at(-1), '1');
  });

  test('that changes properties amends them under their own names, and says what they were', () => {
    const record = account.setContentType('pictures', 'a.jpg', 'image/png', 'image/jpeg');
    assert.deepEqual(summary(changeOf(record)), {
      op: 'update',
      image: 'partial',
      keys: { container: 'pictures', blob: 'a.jpg' },
      before: { contentType: 'image/jpeg' },
      after: { ...common(record), contentType: 'image/png' },
    });
  });

  test('that changes tags, the tier, or begins an operation amends just that', () => {
    const tags = account.setTags('c', 'b', { album: 'new' }, { album: 'old' });
    const tier = account.setTier('c', 'b', 'Cool', 'Hot');
    const rehydrate = account.rehydrate('c', 'b', 'Hot');
    const keys = { container: 'c', blob: 'b' };
    const update = { op: 'update', image: 'partial', keys, before: null };
    assert.deepEqual(summary(changeOf(tags)), {
      ...update,
      before: { tags: { album: 'old' } },
      after: { ...common(tags), tags: { album: 'new' } },
    });
    assert.deepEqual(summary(changeOf(tier)), { ...update, after: { ...common(tier), blobTier: 'Cool' } });
    assert.deepEqual(summary(changeOf(rehydrate)), {
      ...update,
      after: {
        ...common(rehydrate),
        blobTier: 'Archive',
        asyncOperationInfo: { DestinationTier: 'Hot', WasAsyncOperation: 'true' },
      },
    });
  });

  test('that tells a value only as it was does not put it into the row', () => {
    const record = account.setTags('c', 'b', {}, { album: 'old' });
    const data = { ...record.data, blobTagsUpdated: { previous: { album: 'old' } } };
    assert.deepEqual(
      [changeOf({ ...record, data }).before, changeOf({ ...record, data }).after],
      [null, common(record)],
    );
  });

  test('about a snapshot is about a row of its own', () => {
    const record = account.snapshot('pictures', 'a.jpg');
    const { snapshot } = Object(record.data);
    const change = changeOf(record);
    assert.deepEqual(summary(change), {
      op: 'insert',
      image: 'partial',
      keys: { container: 'pictures', blob: 'a.jpg', snapshot },
      before: null,
      after: common(record),
    });
    const tier = account.setTier('pictures', 'a.jpg', 'Cool', 'Hot');
    assert.equal(changeOf({ ...tier, data: { ...tier.data, snapshot } }).key, change.key);
  });

  test('about no blob is recorded without a row', () => {
    const restore = account.restorePoint('label');
    const created = { ...account.put('c', 'x'), subject: '/blobServices/default/containers/c' };
    for (const record of [restore, { ...created, eventType: 'ContainerCreated' }]) {
      const change = changeOf(record);
      assert.deepEqual(
        [change.op, change.image, change.keys, change.key],
        ['marker', 'none', null, unkeyedKey(change.identity)],
      );
      assert.deepEqual(change.origin, asJson(record));
    }
  });

  test('of a later version passes with types, fields and APIs that nobody has heard of', () => {
    const record = account.event('BlobLastAccessTimeUpdated', 'UpdateLastAccessTime', 'c', 'b');
    const later = { ...record, schemaVersion: 8, dataVersion: 'x', data: { ...record.data, lastAccessTime: 'then' } };
    const change = changeOf(later);
    assert.deepEqual(change.after, { ...common(record), lastAccessTime: 'then' });
    assert.deepEqual(change.origin, asJson(later));
  });

  test('may have any text where SDKs want a GUID, a boolean or an address', () => {
    const record = account.undelete('c', 'b');
    const data = { ...record.data, clientRequestId: 'not a guid', url: '', blobType: 'HolographicBlob' };
    assert.equal(changeOf({ ...record, data }).after?.blobType, 'HolographicBlob');
  });

  test('of the feed itself is no change', () => {
    assert.equal(readEvent(asJson(account.control())), undefined);
  });

  test('without an id, a time or a place in the order is a dead letter', () => {
    const record = account.put('c', 'b');
    const { id: _, ...withoutId } = record;
    const reasons = [withoutId, { ...record, data: null }, 'text', null].map((each) => {
      try {
        return readEvent(asJson(each));
      } catch (error) {
        return Object(error).reason;
      }
    });
    assert.deepEqual(reasons, Array(4).fill('invalid-envelope'));
    assert.throws(() => readEvent(asJson({ ...record, data: { ...record.data, sequencer: '' } })), {
      reason: 'no-order',
    });
  });
});
