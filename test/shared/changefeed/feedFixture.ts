import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { type Azurite, startAzurite } from '../../../local/azurite.ts';
import { FeedWriter, type FeedWriterOptions } from '../../../local/changefeed/feedWriter.ts';
import type { RowDocument } from '../../../shared/change/rowDocument.ts';
import { openBlobFeed } from '../../../shared/changefeed/blobFeedSource.ts';
import { ChangeFeedConsumer, type WalkReport } from '../../../shared/changefeed/consumer.ts';
import { EventBudget } from '../../../shared/changefeed/walkBudget.ts';
import type { BlobStream } from '../../../shared/config.ts';
import type { CursorVersion, FeedCursorDocument } from '../../../shared/ingest/cursorStore.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { StreamCounters } from '../../../shared/ingest/streamCounters.ts';
import type { Store } from '../../../shared/store/store.ts';
import { startTestStore, type TestStore } from '../testStore.ts';

/** A change as the tests compare it; documents have more. */
export interface RecordedEvent {
  readonly key: string;
  readonly op: string;
  readonly origin: { readonly id: string; readonly eventType: string; readonly gap?: { readonly kind: string } };
}

/** One account's feed in a container of its own, and the stream that reads it. */
export class TestFeed {
  readonly stream: string;
  readonly container: ContainerClient;
  readonly writer: FeedWriter;
  readonly #fixture: FeedFixture;
  #consumer: ChangeFeedConsumer | undefined;

  constructor(fixture: FeedFixture, stream: string, container: ContainerClient, options: FeedWriterOptions) {
    this.stream = stream;
    this.container = container;
    this.writer = new FeedWriter(container, options);
    this.#fixture = fixture;
  }

  /** A consumer as an app that has just started has it. */
  consumer(settings: Partial<BlobStream> = {}): ChangeFeedConsumer {
    const { store, testStore, azurite } = this.#fixture;
    const { stream } = this;
    const defaults = { stream, connection: '', mode: 'streaming', start: null, onGap: 'stop' } as const;
    return new ChangeFeedConsumer(
      { ...defaults, ...settings },
      {
        pipeline: new Pipeline(store, testStore.config),
        counters: new StreamCounters(store.counters, 'blob', stream, 'test'),
        cursors: store.cursors,
        openSource: () => openBlobFeed(azurite, this.container.containerName),
        owner: 'test',
      },
    );
  }

  /** Walks once with one and the same consumer, or with a new one where settings or a limit are given. */
  walk(settings?: Partial<BlobStream>, events = Number.POSITIVE_INFINITY): Promise<WalkReport> {
    this.#consumer = settings === undefined ? (this.#consumer ?? this.consumer()) : this.consumer(settings);
    return this.#consumer.walk(new EventBudget(events));
  }

  async changes(): Promise<RecordedEvent[]> {
    const all = (await this.#fixture.testStore.documents('changes')) as unknown[];
    return (all as (RecordedEvent & { stream: string })[]).filter(({ stream }) => stream === this.stream);
  }

  /** Ids of all recorded events, sorted; the kinds of gaps among them. */
  async ids(): Promise<string[]> {
    return (await this.changes()).map(({ origin }) => origin.gap?.kind ?? origin.id).sort();
  }

  async rows(): Promise<RowDocument[]> {
    const all = (await this.#fixture.testStore.documents('rows')) as unknown[];
    return (all as RowDocument[]).filter(({ stream }) => stream === this.stream);
  }

  async cursor(): Promise<FeedCursorDocument | undefined> {
    return (await this.#fixture.store.cursors.read(this.stream))?.document;
  }

  cursorVersion(): Promise<CursorVersion | undefined> {
    return this.#fixture.store.cursors.read(this.stream);
  }

  async put(name: string, content: string | Buffer): Promise<void> {
    await this.container.getBlockBlobClient(name).upload(content, Buffer.byteLength(content));
  }

  async remove(name: string): Promise<void> {
    await this.container.deleteBlob(name);
  }
}

/** The real store, behind the proxy that plays deaths, and a storage account. */
export class FeedFixture {
  readonly azurite: Azurite;
  readonly testStore: TestStore;
  readonly store: Store;
  #count = 0;

  private constructor(azurite: Azurite, testStore: TestStore, store: Store) {
    this.azurite = azurite;
    this.testStore = testStore;
    this.store = store;
  }

  static async start(): Promise<FeedFixture> {
    const testStore = await startTestStore();
    return new FeedFixture(await startAzurite({}), testStore, await testStore.open());
  }

  /** A feed that is not there yet, in a container of its own or in the one that is named. */
  feed(options: FeedWriterOptions = {}, containerName?: string): TestFeed {
    const stream = `feed-${this.#count++}`;
    const service = BlobServiceClient.fromConnectionString(this.azurite.connectionString);
    return new TestFeed(this, stream, service.getContainerClient(containerName ?? stream), options);
  }

  async close(): Promise<void> {
    await this.azurite.close();
    await this.testStore.close();
  }
}
