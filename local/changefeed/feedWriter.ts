import { createHash } from 'node:crypto';
import type { ContainerClient } from '@azure/storage-blob';
import { avroBlock, avroHeader } from './avroFile.ts';
import type { FeedEventRecord } from './blobAccount.ts';
import { feedSchema, feedType, type SchemaVersion } from './feedSchema.ts';

export interface FeedWriterOptions {
  readonly shards?: number;
  readonly version?: SchemaVersion;
}

interface Shard {
  readonly prefix: string;
  /** Number of its newest chunk; -1 before the first. */
  chunk: number;
}

interface OpenSegment {
  readonly begin: Date;
  readonly version: SchemaVersion;
  readonly shards: readonly Shard[];
}

const DEFAULT_SHARDS = 2;
const DEFAULT_VERSION: SchemaVersion = 5;
/** The service closes a block at about this payload. */
const EVENTS_PER_BLOCK = 110;
const FIRST_BEGIN = new Date('1601-01-01T00:00:00Z');

/**
 * Writes a change feed into a container as the service does: manifests, shards by blob, append blobs that grow by whole
 * blocks. A segment becomes `Finalized` at the moment the next one begins, however long that takes; `lastConsumable` moves
 * on right after.
 */
export class FeedWriter {
  readonly #container: ContainerClient;
  readonly #shards: number;
  #version: SchemaVersion;
  #open: OpenSegment | undefined;

  constructor(
    container: ContainerClient,
    { shards = DEFAULT_SHARDS, version = DEFAULT_VERSION }: FeedWriterOptions = {},
  ) {
    this.#container = container;
    this.#shards = shards;
    this.#version = version;
  }

  /** Switches the feed on: the container, and in it the initial segment, which stays empty. */
  async enable(): Promise<void> {
    await this.#container.createIfNotExists();
    await this.#putManifest({ begin: FIRST_BEGIN, version: this.#version, shards: [shardOf(FIRST_BEGIN, 0)] }, true);
  }

  /** Begins a segment, to the minute; `version` is what its chunks are written in. Its chunks come with the first events. */
  async beginSegment(begin: Date, version: SchemaVersion = this.#version): Promise<void> {
    const previous = this.#open;
    this.#version = version;
    this.#open = { begin, version, shards: Array.from({ length: this.#shards }, (_, index) => shardOf(begin, index)) };
    await this.#putManifest(this.#open, false);
    if (previous !== undefined) await this.#putManifest(previous, true);
    await this.putLastConsumable(begin);
  }

  /** Appends events to the open segment, each to the shard that its blob belongs to, in one append per shard. */
  async append(events: readonly FeedEventRecord[]): Promise<void> {
    const segment = this.#segment();
    const byShard = Map.groupBy(events, ({ subject }) => shardNumber(subject, this.#shards));
    for (const [number, own] of byShard) {
      const shard = segment.shards[number];
      if (shard === undefined) continue;
      if (shard.chunk < 0) await this.#addChunk(segment, shard);
      const blocks: Buffer[] = [];
      for (let start = 0; start < own.length; start += EVENTS_PER_BLOCK) {
        blocks.push(avroBlock(feedType(segment.version), own.slice(start, start + EVENTS_PER_BLOCK)));
      }
      await this.#appendTo(shard, Buffer.concat(blocks));
    }
  }

  /** Makes every shard of the open segment go on in a new chunk. */
  async rollOver(): Promise<void> {
    const segment = this.#segment();
    for (const shard of segment.shards) await this.#addChunk(segment, shard);
  }

  /** Closes the open segment without beginning another. */
  async finalize(): Promise<void> {
    await this.#putManifest(this.#segment(), true);
  }

  async putLastConsumable(begin: Date): Promise<void> {
    await this.#putJson('meta/segments.json', {
      version: 0,
      lastConsumable: begin.toISOString(),
      storageDiagnostics: { version: 0, lastModifiedTime: new Date().toISOString(), data: { aid: 'local' } },
    });
  }

  #segment(): OpenSegment {
    if (this.#open === undefined) throw new TypeError('no segment has begun');
    return this.#open;
  }

  /** A new chunk is an append blob with a header; the header is an append of its own. */
  async #addChunk(segment: OpenSegment, shard: Shard): Promise<void> {
    shard.chunk++;
    const blob = this.#container.getAppendBlobClient(chunkName(shard));
    await blob.create({ blobHTTPHeaders: { blobContentType: 'avro/binary' } });
    await this.#appendTo(shard, avroHeader(feedSchema(segment.version)));
  }

  async #appendTo(shard: Shard, bytes: Buffer): Promise<void> {
    await this.#container.getAppendBlobClient(chunkName(shard)).appendBlock(bytes, bytes.length);
  }

  async #putManifest({ begin, version, shards }: OpenSegment, isFinalized: boolean): Promise<void> {
    await this.#putJson(`idx/segments/${folderOf(begin)}/meta.json`, {
      version: 0,
      begin: begin.toISOString(),
      intervalSecs: 3600,
      status: isFinalized ? 'Finalized' : 'Publishing',
      config: {
        version: 0,
        configVersionEtag: '0x8d698f0fba563db',
        numShards: shards.length,
        recordsFormat: 'avro',
        formatSchemaVersion: version,
        shardDistFnVersion: 1,
      },
      chunkFilePaths: shards.map(({ prefix }) => `$blobchangefeed/${prefix}`),
      storageDiagnostics: { version: 0, lastModifiedTime: new Date().toISOString(), data: { aid: 'local' } },
    });
  }

  async #putJson(name: string, value: object): Promise<void> {
    const text = JSON.stringify(value);
    await this.#container.getBlockBlobClient(name).upload(text, Buffer.byteLength(text), {
      blobHTTPHeaders: { blobContentType: 'application/json' },
    });
  }
}

function shardOf(begin: Date, index: number): Shard {
  return { prefix: `log/${String(index).padStart(2, '0')}/${folderOf(begin)}/`, chunk: -1 };
}

function chunkName({ prefix, chunk }: Shard): string {
  return `${prefix}${String(chunk).padStart(5, '0')}.avro`;
}

/** `2026/08/07/1830` */
function folderOf(begin: Date): string {
  const text = begin.toISOString();
  return `${text.slice(0, 10).replaceAll('-', '/')}/${text.slice(11, 13)}${text.slice(14, 16)}`;
}

/** All events of one blob, its snapshots included, go to one shard. */
function shardNumber(subject: string, shards: number): number {
  return createHash('sha256').update(subject).digest().readUInt32BE() % shards;
}
