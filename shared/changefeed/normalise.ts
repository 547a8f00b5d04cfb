import type { NormalizedChange } from '../change/change.ts';
import type { Columns } from '../change/json.ts';
import { rowId, unkeyedKey } from '../change/keys.ts';
import { tokenOf } from '../change/tokens.ts';
import { blobKeyOf, fullImage, partialImages } from './blobRow.ts';
import type { FeedEvent } from './feedEvent.ts';

/** The one table of a stream. */
export function blobTable(stream: string): string {
  return `blob/${stream}/blobs`;
}

/** What depends on the kind of an event. */
type Shape = Pick<NormalizedChange, 'op' | 'image' | 'before' | 'after'> & {
  readonly rank: 'full' | 'partial' | 'delete';
};

/**
 * The change that `event` is. Only `BlobCreated`, which undeleting brings too, says what the whole blob is; every other
 * event about a blob, known or not, amends it. What is about no blob is recorded without a row.
 */
export function normaliseEvent(stream: string, event: FeedEvent): NormalizedChange {
  const identity = `blob/${stream}/${event.id}`;
  const key = blobKeyOf(event);
  const shape = key === undefined ? NO_ROW : shapeOf(event);
  const { rank, ...images } = shape;
  return {
    source: 'blob',
    stream,
    table: blobTable(stream),
    identity,
    ...images,
    keys: key === undefined ? null : ({ ...key } satisfies Columns),
    key: key === undefined ? unkeyedKey(identity) : rowId(Object.values(key)),
    token: tokenOf(event.sequencer, rank),
    committedAt: event.eventTime,
    transaction: null,
    origin: event.whole,
  };
}

const NO_ROW: Shape = { op: 'marker', image: 'none', before: null, after: null, rank: 'partial' };

function shapeOf(event: FeedEvent): Shape {
  switch (event.eventType) {
    case 'BlobCreated':
      return { op: 'upsert', image: 'full', before: null, after: fullImage(event), rank: 'full' };
    case 'BlobDeleted':
      return { op: 'delete', image: 'none', before: null, after: null, rank: 'delete' };
    case 'BlobSnapshotCreated':
      return { op: 'insert', image: 'partial', ...partialImages(event), rank: 'partial' };
    case 'RestorePointMarkerCreated':
      // It is about the account at a moment, whatever its subject names.
      return { op: 'marker', image: 'none', before: null, after: null, rank: 'partial' };
    default:
      return { op: 'update', image: 'partial', ...partialImages(event), rank: 'partial' };
  }
}
