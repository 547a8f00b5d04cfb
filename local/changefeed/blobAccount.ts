import { createHash } from 'node:crypto';
import type { SchemaVersion } from './feedSchema.ts';

/** An event of the local feed, before it is cut down to what its schema version has. */
export interface FeedEventRecord {
  readonly schemaVersion: number;
  readonly topic: string;
  readonly subject: string;
  readonly eventType: string;
  readonly eventTime: string;
  readonly id: string;
  readonly data: { readonly [name: string]: unknown };
}

/** What an event tells beyond what every event does. */
interface Telling {
  readonly contentLength?: number;
  readonly contentType?: string;
  readonly blobType?: 'BlockBlob' | 'PageBlob' | 'AppendBlob';
  readonly blobTier?: string | null;
  readonly previousInfo?: Readonly<Record<string, string>>;
  readonly snapshot?: string;
  readonly blobPropertiesUpdated?: Readonly<Record<string, { readonly current: string; readonly previous: string }>>;
  readonly asyncOperationInfo?: Readonly<Record<string, string>>;
  readonly blobTagsUpdated?: Readonly<Record<'current' | 'previous', Readonly<Record<string, string>>>>;
  readonly restorePointMarker?: Readonly<Record<string, string>>;
}

const TOPIC =
  '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/local/providers/Microsoft.Storage/storageAccounts/devstoreaccount1';
const CONTAINER_VERSION = '0000000000000001';
const MS_BETWEEN_EVENTS = 250;
const DEFAULT_LENGTH_BYTES = 1024;

/**
 * The clock and the counters of a storage account whose change feed is on: says for each operation which event the service
 * would record. `now` can be set; each event comes a little after the last.
 */
export class BlobAccount {
  now: Date;
  /** What each blob is like, by subject: the service tells it with every event. */
  readonly #blobs = new Map<string, Telling>();
  readonly #version: SchemaVersion;
  #count: number;

  constructor(start: Date, version: SchemaVersion = 5, firstNumber = 0) {
    this.now = start;
    this.#version = version;
    this.#count = firstNumber;
  }

  /** The number of the newest event. */
  get count(): number {
    return this.#count;
  }

  put(container: string, blob: string, telling: Telling = {}): FeedEventRecord {
    return this.event('BlobCreated', 'PutBlob', container, blob, { blobTier: 'Hot', ...telling });
  }

  delete(container: string, blob: string): FeedEventRecord {
    return this.event('BlobDeleted', 'DeleteBlob', container, blob);
  }

  undelete(container: string, blob: string): FeedEventRecord {
    const previousInfo = { WasBlobSoftDeleted: 'true', SoftDeleteSnapshot: this.#time() };
    return this.event('BlobCreated', 'UndeleteBlob', container, blob, { blobTier: 'Hot', previousInfo });
  }

  setContentType(container: string, blob: string, current: string, previous: string): FeedEventRecord {
    const blobPropertiesUpdated = { ContentType: { current, previous } };
    return this.event('BlobPropertiesUpdated', 'SetBlobProperties', container, blob, {
      contentType: current,
      blobPropertiesUpdated,
    });
  }

  snapshot(container: string, blob: string): FeedEventRecord {
    return this.event('BlobSnapshotCreated', 'SnapshotBlob', container, blob, { snapshot: this.#time() });
  }

  setTier(container: string, blob: string, blobTier: string, PreviousTier: string): FeedEventRecord {
    return this.event('BlobTierChanged', 'SetBlobTier', container, blob, { blobTier, previousInfo: { PreviousTier } });
  }

  rehydrate(container: string, blob: string, DestinationTier: string): FeedEventRecord {
    const asyncOperationInfo = { DestinationTier, WasAsyncOperation: 'true' };
    return this.event('BlobAsyncOperationInitiated', 'SetBlobTier', container, blob, {
      blobTier: 'Archive',
      asyncOperationInfo,
    });
  }

  setTags(
    container: string,
    blob: string,
    current: Readonly<Record<string, string>>,
    previous: Readonly<Record<string, string>>,
  ): FeedEventRecord {
    return this.event('BlobPropertiesUpdated', 'SetBlobTags', container, blob, {
      blobTagsUpdated: { current, previous },
    });
  }

  restorePoint(label: string): FeedEventRecord {
    const restorePointMarker = { rpi: this.#id(), rpp: this.#id(), rpl: label, rpt: this.#time() };
    const { subject: _, ...event } = this.event('RestorePointMarkerCreated', 'CreateRestorePointMarker', '', '', {
      restorePointMarker,
    });
    return { ...event, subject: '/blobServices/default' };
  }

  /** A record of the feed itself. */
  control(): FeedEventRecord {
    return this.event('Control', 'ControlEvent', 'feed', 'control');
  }

  event(eventType: string, api: string, container: string, blob: string, telling: Telling = {}): FeedEventRecord {
    this.#count++;
    this.now = new Date(this.now.getTime() + MS_BETWEEN_EVENTS);
    const id = this.#id();
    const position = this.#count.toString(16).padStart(16, '0');
    const subject = `/blobServices/default/containers/${container}/blobs/${blob}`;
    const { contentLength = DEFAULT_LENGTH_BYTES, contentType = 'application/octet-stream' } = {
      ...this.#blobs.get(subject),
      ...telling,
    };
    this.#blobs.set(subject, { contentLength, contentType });
    return {
      schemaVersion: this.#version,
      topic: TOPIC,
      subject,
      eventType,
      eventTime: this.#time(),
      id,
      data: {
        api,
        clientRequestId: `local client ${this.#count}`,
        requestId: `${id.slice(0, 28)}00000000`,
        etag: `0x8D${this.#count.toString(16).toUpperCase().padStart(13, '0')}`,
        contentType,
        contentLength,
        blobType: 'BlockBlob',
        blobVersion: null,
        containerVersion: CONTAINER_VERSION,
        blobTier: null,
        url: `https://devstoreaccount1.blob.core.windows.net/${container}/${blob}`,
        sequencer: `${'0'.repeat(16)}000000000000083F${position}`,
        previousInfo: null,
        snapshot: null,
        blobPropertiesUpdated: null,
        asyncOperationInfo: null,
        blobTagsUpdated: null,
        restorePointMarker: null,
        storageDiagnostics: { bid: id, sid: id, seq: `(2111,${this.#count},${this.#count},0)` },
        ...telling,
      },
    };
  }

  #time(): string {
    return `${this.now.toISOString().slice(0, -1)}${String(this.#count % 10_000).padStart(4, '0')}Z`;
  }

  #id(): string {
    const hex = createHash('sha256').update(`event ${this.#count} of version ${this.#version}`).digest('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
  }
}
