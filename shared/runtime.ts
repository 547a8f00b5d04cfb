import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { CesConsumer } from './ces/consumer.ts';
import type { SplitEventLimits } from './ces/manifest.ts';
import type { Source } from './change/change.ts';
import { type CesStream, type Config, readConfig } from './config.ts';
import { Pipeline } from './ingest/pipeline.ts';
import { StreamCounters } from './ingest/streamCounters.ts';
import { Store } from './store/store.ts';

/** What the functions of one app process share: one database client, one pipeline, one set of counters per stream. */
export interface Runtime {
  readonly config: Config;
  readonly store: Store;
  readonly pipeline: Pipeline;
  readonly limits: SplitEventLimits;
  counters(source: Source, stream: string): StreamCounters;
  cesConsumer(stream: CesStream): CesConsumer;
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
  const pipeline = new Pipeline(store, config);
  const known = new Map<string, StreamCounters>();
  const counters = (source: Source, stream: string) => {
    const name = `${source}/${stream}`;
    const of = known.get(name) ?? new StreamCounters(store.counters, source, stream, instance);
    known.set(name, of);
    return of;
  };
  const limits = { ...config.limits, timeoutMs: config.segmentTimeoutMs };
  return {
    config,
    store,
    pipeline,
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
  };
}
