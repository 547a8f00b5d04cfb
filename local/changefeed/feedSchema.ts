import avro, { type Schema, type Type } from 'avsc';

/** The versions of the event schema that the local feed can be written in. */
export const SCHEMA_VERSIONS = [1, 3, 4, 5, 6] as const;

export type SchemaVersion = (typeof SCHEMA_VERSIONS)[number];

/** A name that the service has used since `since`, and until the version before `until`. */
interface Era {
  readonly name: string;
  readonly since: SchemaVersion;
  readonly until?: SchemaVersion;
}

/** In the order of their numbers in the files: a reader that keeps one table for all versions goes wrong at the fourth. */
const EVENT_TYPES: readonly Era[] = [
  { name: 'UnspecifiedEventType', since: 1 },
  { name: 'BlobCreated', since: 1 },
  { name: 'BlobDeleted', since: 1 },
  { name: 'BlobMetadataUpdated', since: 1, until: 3 },
  { name: 'BlobPropertiesUpdated', since: 3 },
  { name: 'BlobSnapshotCreated', since: 3 },
  { name: 'Control', since: 1 },
  { name: 'BlobTierChanged', since: 4 },
  { name: 'BlobAsyncOperationInitiated', since: 4 },
  { name: 'RestorePointMarkerCreated', since: 5 },
];
const APIS: readonly Era[] = [
  ...['UnspecifiedApi', 'PutBlob', 'PutBlockList', 'CopyBlob', 'DeleteBlob', 'SetBlobMetadata', 'ControlEvent'].map(
    (name): Era => ({ name, since: 1 }),
  ),
  ...['UndeleteBlob', 'SetBlobProperties', 'SnapshotBlob'].map((name): Era => ({ name, since: 3 })),
  ...['SetBlobTier', 'AbortCopyBlob'].map((name): Era => ({ name, since: 4 })),
  ...['SetBlobTags', 'CreateRestorePointMarker'].map((name): Era => ({ name, since: 5 })),
];
const BLOB_TYPES: readonly Era[] = [
  ...['Unspecified', 'BlockBlob', 'PageBlob'].map((name): Era => ({ name, since: 1 })),
  { name: 'AppendBlob', since: 4 },
];
const TIERS: readonly Era[] = [
  ...['Unspecified', 'Hot', 'Cool', 'Archive'].map((name): Era => ({ name, since: 4 })),
  { name: 'Cold', since: 6 },
];

const TEXTS = { type: 'map', values: 'string' } as const;
const CHANGED_VALUE: Schema = {
  type: 'record',
  name: 'values',
  fields: [
    { name: 'current', type: 'string' },
    { name: 'previous', type: 'string' },
  ],
};

/** The writer's schema of `version`, as it stands in the header of a chunk. */
export function feedSchema(version: SchemaVersion): Schema {
  const symbols = (eras: readonly Era[]) =>
    eras
      .filter((era) => era.since <= version && version < (era.until ?? Number.POSITIVE_INFINITY))
      .map(({ name }) => name);
  const enumOf = (name: string, eras: readonly Era[]) => ({ type: 'enum', name, symbols: symbols(eras) }) as const;
  const text = (name: string) => ({ name, type: 'string' }) as const;
  const optional = (since: SchemaVersion, name: string, type: Schema) =>
    since <= version ? [{ name, type: ['null', type] as Schema }] : [];
  const data: Schema = {
    type: 'record',
    name: 'BlobChangeEventData',
    fields: [
      { name: 'api', type: enumOf('ApiEnum', APIS) },
      ...['clientRequestId', 'requestId', 'etag', 'contentType'].map(text),
      { name: 'contentLength', type: 'long' },
      { name: 'blobType', type: enumOf('BlobTypeEnum', BLOB_TYPES) },
      ...optional(4, 'blobVersion', 'string'),
      ...optional(4, 'containerVersion', 'string'),
      ...optional(4, 'blobTier', enumOf('BlobTierEnum', TIERS)),
      ...['url', 'sequencer'].map(text),
      ...optional(3, 'previousInfo', TEXTS),
      ...optional(3, 'snapshot', 'string'),
      ...optional(3, 'blobPropertiesUpdated', { type: 'map', values: CHANGED_VALUE }),
      ...optional(4, 'asyncOperationInfo', TEXTS),
      ...optional(5, 'blobTagsUpdated', { type: 'map', values: TEXTS }),
      ...optional(5, 'restorePointMarker', TEXTS),
      { name: 'storageDiagnostics', type: TEXTS },
    ],
  };
  return {
    type: 'record',
    name: 'BlobChangeEvent',
    namespace: 'Microsoft.Storage',
    fields: [
      { name: 'schemaVersion', type: 'long' },
      text('topic'),
      text('subject'),
      { name: 'eventType', type: enumOf('EventTypeEnum', EVENT_TYPES) },
      text('eventTime'),
      text('id'),
      { name: 'data', type: data },
    ],
  };
}

const types = new Map<SchemaVersion, Type>();

export function feedType(version: SchemaVersion): Type {
  const type = types.get(version) ?? avro.Type.forSchema(feedSchema(version));
  types.set(version, type);
  return type;
}
