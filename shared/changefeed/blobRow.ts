import type { Columns, JsonValue } from '../change/json.ts';
import type { EventFields, FeedEvent } from './feedEvent.ts';

/** Which row an event is about: a blob, or one of its snapshots, which is a row of its own. */
export interface BlobKey {
  readonly container: string;
  readonly blob: string;
  readonly snapshot?: string;
}

const BLOB_SUBJECT = /^\/blobServices\/default\/containers\/([^/]+)\/blobs\/(.+)$/s;

/** Only the blob itself is ever created, brought back or deleted; their events name snapshots for other reasons. */
const ABOUT_THE_BASE_BLOB = new Set(['BlobCreated', 'BlobDeleted']);

/** Fields of `data` that are told only by the events that they are about. */
const OCCASIONAL_FIELDS = new Set(['asyncOperationInfo', 'restorePointMarker']);

/** Fields of `data` that are about the event, not about the blob. */
const EVENT_FIELDS = new Set([
  'api',
  'clientRequestId',
  'requestId',
  'sequencer',
  'snapshot',
  'previousInfo',
  'storageDiagnostics',
  'blobPropertiesUpdated',
  'blobTagsUpdated',
]);

/** The key of the row that `event` is about; undefined for events about a container, a restore point or anything else. */
export function blobKeyOf({ subject, eventType, data }: FeedEvent): BlobKey | undefined {
  const [, container, blob] = BLOB_SUBJECT.exec(subject) ?? [];
  if (container === undefined || blob === undefined) return undefined;
  const { snapshot } = data;
  if (typeof snapshot !== 'string' || snapshot === '' || ABOUT_THE_BASE_BLOB.has(eventType)) return { container, blob };
  return { container, blob, snapshot };
}

/** The blob after a `BlobCreated`: every property, the unset ones as null. */
export function fullImage(event: FeedEvent): Columns {
  return Object.fromEntries([...propertiesOf(event.data), ...lastEvent(event)]);
}

/**
 * What any other event says about the blob after it, and before it. A field that is null here was not told. Changed
 * properties and tags have columns of their own; a property's name begins with a small letter, like those of the feed.
 */
export function partialImages(event: FeedEvent): { readonly before: Columns | null; readonly after: Columns } {
  const { blobPropertiesUpdated, blobTagsUpdated } = event.data;
  const changed = members(blobPropertiesUpdated).map(([name, value]): [string, EventFields] => [
    columnOf(name),
    fieldsOf(value),
  ]);
  const tags = fieldsOf(blobTagsUpdated);
  const side = (name: 'previous' | 'current'): [string, JsonValue][] => [
    ...changed.flatMap(([column, values]): [string, JsonValue][] => toldValue(column, values[name])),
    ...toldValue('tags', tags[name]),
  ];
  const after = Object.fromEntries([
    ...propertiesOf(event.data).filter(([, value]) => value !== null),
    ...side('current'),
    ...lastEvent(event),
  ]);
  // A value that is only told as it was says nothing about the blob as it is.
  const before = side('previous').filter(([column]) => Object.hasOwn(after, column));
  return { before: before.length === 0 ? null : Object.fromEntries(before), after };
}

function propertiesOf(data: EventFields): [string, JsonValue][] {
  return Object.entries(data).filter(
    ([name, value]) => !(EVENT_FIELDS.has(name) || (OCCASIONAL_FIELDS.has(name) && value === null)),
  );
}

function lastEvent({ eventType, eventTime, data }: FeedEvent): [string, JsonValue][] {
  return [
    ['lastEventType', eventType],
    ['lastEventTime', eventTime],
    ['lastApi', data.api ?? null],
  ];
}

function columnOf(property: string): string {
  return property.charAt(0).toLowerCase() + property.slice(1);
}

function toldValue(column: string, value: JsonValue | undefined): [string, JsonValue][] {
  return value === undefined || value === null ? [] : [[column, value]];
}

function members(value: JsonValue | undefined): [string, JsonValue][] {
  return Object.entries(fieldsOf(value));
}

function fieldsOf(value: JsonValue | undefined): EventFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as EventFields) : {};
}
