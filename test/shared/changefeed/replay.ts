import type { Columns, JsonValue } from '../../../shared/change/json.ts';
import type { RealEvent } from './realFeed.ts';

/** What the documentation calls properties of the blob; the rest of an event's data is about the event. */
const PROPERTIES = [
  'etag',
  'contentType',
  'contentLength',
  'blobType',
  'blobVersion',
  'containerVersion',
  'blobTier',
  'url',
];

/** The rows that a reader who goes through the events in order would hold, by row id; null for a deleted one. */
export function replayedRows(records: readonly (RealEvent['record'] & { readonly eventTime?: string })[]) {
  const rows = new Map<string, Columns | null>();
  for (const { subject, eventType, eventTime = null, data } of records) {
    const [, , , , container = '', , ...path] = subject.split('/');
    const isSnapshot = eventType === 'BlobSnapshotCreated';
    const keys = { container, blob: path.join('/'), ...(isSnapshot ? { snapshot: data.snapshot ?? null } : {}) };
    const id = Object.values(keys)
      .map((part) => String(part).replaceAll('/', '%2F'))
      .join(',');
    const told: [string, JsonValue][] = PROPERTIES.flatMap((name) => {
      const value = data[name];
      const isTold = value !== undefined && (value !== null || eventType === 'BlobCreated');
      return isTold ? [[name, value]] : [];
    });
    const last = { lastEventType: eventType, lastEventTime: eventTime, lastApi: data.api ?? null };
    if (eventType === 'BlobDeleted') rows.set(id, null);
    else if (eventType === 'BlobCreated') rows.set(id, { ...keys, ...Object.fromEntries(told), ...last });
    else if (rows.get(id) !== null) rows.set(id, { ...keys, ...rows.get(id), ...Object.fromEntries(told), ...last });
  }
  return Object.fromEntries(rows);
}
