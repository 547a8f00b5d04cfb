import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Source } from './change/change.ts';
import { type Config, readConfig } from './config.ts';
import { Pipeline } from './ingest/pipeline.ts';
import { StreamCounters } from './ingest/streamCounters.ts';
import { Store } from './store/store.ts';

/** What the functions of one app process share: one database client, one pipeline, one set of counters per stream. */
export interface Runtime {
  readonly config: Config;
  readonly store: Store;
  readonly pipeline: Pipeline;
  counters(source: Source, stream: string): StreamCounters;
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
  const counters = new Map<string, StreamCounters>();
  return {
    config,
    store,
    pipeline: new Pipeline(store, config),
    counters(source, stream) {
      const name = `${source}/${stream}`;
      const known = counters.get(name) ?? new StreamCounters(store.counters, source, stream, instance);
      counters.set(name, known);
      return known;
    },
  };
}
