import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { CesConsumer } from './ces/consumer.ts';
import type { SplitEventLimits } from './ces/manifest.ts';
import type { Source } from './change/change.ts';
import { openBlobFeed } from './changefeed/blobFeedSource.ts';
import { ChangeFeedConsumer } from './changefeed/consumer.ts';
import { FeedSettingsError } from './changefeed/errors.ts';
import {
  type BlobStream,
  type CesStream,
  type Config,
  DEFAULT_GOLDENGATE_STREAM,
  DEFAULT_QLIK_STREAM,
  readConfig,
  storageConnection,
} from './config.ts';
import { GoldenGateConsumer } from './goldengate/consumer.ts';
import { ArrivalPipeline } from './ingest/arrival.ts';
import { Parking } from './ingest/parking.ts';
import type { Pipeline } from './ingest/pipeline.ts';
import { RowWriter } from './ingest/rowWriter.ts';
import { StreamCounters } from './ingest/streamCounters.ts';
import { Truncations } from './ingest/truncations.ts';
import { HubReader } from './operate/hubs/hubReader.ts';
import { HubWatch } from './operate/hubs/hubWatch.ts';
import type { ReplayParts } from './operate/replay.ts';
import { QlikConsumer } from './qlik/consumer.ts';
import { replayersOf } from './replayers.ts';
import { Store } from './store/store.ts';
import { telemetry } from './telemetry/telemetry.ts';
import { TracedPipeline } from './telemetry/tracedPipeline.ts';

/** What the functions of one app process share: one database client, one pipeline, one set of counters per stream. */
export interface Runtime {
  readonly config: Config;
  readonly store: Store;
  readonly pipeline: Pipeline;
  readonly parking: Parking;
  readonly truncations: Truncations;
  readonly limits: SplitEventLimits;
  counters(source: Source, stream: string): StreamCounters;
  cesConsumer(stream: CesStream): CesConsumer;
  /** One for each GoldenGate stream that is asked for: those that the settings do not name have the defaults. */
  goldenGateConsumer(stream: string): GoldenGateConsumer;
  /** One for each Qlik stream that is asked for: those that the settings do not name have the defaults. */
  qlikConsumer(stream: string): QlikConsumer;
  /** Takes a dead letter's record in again; undefined for a stream that there is no more. */
  readonly replayerOf: ReplayParts['replayerOf'];
  /** Watches over the hubs of the `ces` streams, by stream. */
  readonly hubs: ReadonlyMap<string, HubWatch>;
  /** Since when this process is there, in milliseconds since 1970. */
  readonly upSince: number;
  /** One for each `blob` stream. */
  readonly changeFeeds: readonly ChangeFeedConsumer[];
}

let shared: Promise<Runtime> | undefined;

/** Made at first use: an app must be able to load, and say what it has, while its store is down. */
export function runtime(): Promise<Runtime> {
  shared ??= open();
  return shared;
}

async function open(): Promise<Runtime> {
  const config = readConfig(process.env);
  const store = await Store.open(config);
  // A process that starts again counts from zero: it must not overwrite what the one before it had counted.
  const instance = `${process.env.WEBSITE_INSTANCE_ID?.slice(0, 8) ?? hostname()}-${randomUUID().slice(0, 8)}`;
  const pipeline = new TracedPipeline(store, config);
  const arrivals = new ArrivalPipeline(store, pipeline);
  const parking = new Parking(store.parked, pipeline, config.parkedTimeoutMs);
  const rowWriter = new RowWriter(store.rows, config.tombstoneTtlSeconds);
  const truncations = new Truncations(store.catalog, store.truncations, rowWriter);
  const known = new Map<string, StreamCounters>();
  const counters = (source: Source, stream: string) => {
    const name = `${source}/${stream}`;
    const of =
      known.get(name) ??
      new StreamCounters(store.counters, source, stream, instance, (added) =>
        telemetry().counted(source, stream, added),
      );
    known.set(name, of);
    return of;
  };
  const goldenGateConsumers = new Map<string, GoldenGateConsumer>();
  const qlikConsumers = new Map<string, QlikConsumer>();
  const limits = { ...config.limits, timeoutMs: config.segmentTimeoutMs };
  return {
    config,
    store,
    pipeline,
    parking,
    truncations,
    limits,
    counters,
    cesConsumer: (stream) =>
      new CesConsumer(stream, {
        pipeline,
        counters: counters('ces', stream.stream),
        segments: store.segments,
        catalog: store.catalog,
        limits,
      }),
    goldenGateConsumer: (stream) => {
      const settings = Object.hasOwn(config.streams.goldengate, stream) ? config.streams.goldengate[stream] : undefined;
      const consumer =
        goldenGateConsumers.get(stream) ??
        new GoldenGateConsumer(stream, settings ?? DEFAULT_GOLDENGATE_STREAM, {
          arrivals,
          parking,
          truncations,
          catalog: store.catalog,
          counters: counters('goldengate', stream),
          limits: config.limits,
        });
      goldenGateConsumers.set(stream, consumer);
      return consumer;
    },
    qlikConsumer: (stream) => {
      const settings = Object.hasOwn(config.streams.qlik, stream) ? config.streams.qlik[stream] : undefined;
      const consumer =
        qlikConsumers.get(stream) ??
        new QlikConsumer(stream, settings ?? DEFAULT_QLIK_STREAM, {
          pipeline,
          arrivals,
          parking,
          catalog: store.catalog,
          counters: counters('qlik', stream),
          limits: config.limits,
        });
      qlikConsumers.set(stream, consumer);
      return consumer;
    },
    replayerOf: replayersOf({ config, store, pipeline, parking, truncations }),
    hubs: new Map(
      config.streams.ces.map((stream) => {
        const reader = new HubReader(stream, config.storage, process.env);
        return [stream.stream, new HubWatch(() => reader.read())];
      }),
    ),
    upSince: Date.now(),
    changeFeeds: config.streams.blob.map(
      (stream) =>
        new ChangeFeedConsumer(stream, {
          pipeline,
          counters: counters('blob', stream.stream),
          cursors: store.cursors,
          openSource: () => openFeed(stream),
          owner: instance,
        }),
    ),
  };
}

/** Where a stream's account is missing from the settings, the stream says so; the others work. */
async function openFeed({ connection }: BlobStream) {
  const account = storageConnection(process.env, connection);
  if (account === undefined) {
    throw new FeedSettingsError(`the setting ${connection}, which says where the change feed is, is missing`);
  }
  return openBlobFeed(account);
}
