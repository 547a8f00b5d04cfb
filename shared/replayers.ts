import { CesReplayer } from './ces/replay.ts';
import { FeedReplayer } from './changefeed/replay.ts';
import { type Config, DEFAULT_GOLDENGATE_STREAM, DEFAULT_QLIK_STREAM } from './config.ts';
import { GoldenGateReplayer } from './goldengate/replay.ts';
import { ArrivalPipeline } from './ingest/arrival.ts';
import type { Parking } from './ingest/parking.ts';
import type { Intake } from './ingest/pipeline.ts';
import { ReplayGuard } from './ingest/replayGuard.ts';
import type { Truncations } from './ingest/truncations.ts';
import type { ReplayParts } from './operate/replay.ts';
import { QlikReplayer } from './qlik/replay.ts';
import type { Store } from './store/store.ts';

const MS_PER_SECOND = 1_000;

export interface ReplayersParts {
  readonly config: Config;
  readonly store: Store;
  readonly pipeline: Intake;
  readonly parking: Parking;
  readonly truncations: Truncations;
}

/** How the sources take their dead letters in again, by the source and the stream that a letter names. */
export function replayersOf({
  config,
  store,
  pipeline,
  parking,
  truncations,
}: ReplayersParts): ReplayParts['replayerOf'] {
  return ({ source, stream, receivedAt }, force) => {
    const tombstoneTtlMs = config.tombstoneTtlSeconds * MS_PER_SECOND;
    const intake = force ? pipeline : new ReplayGuard(pipeline, store.rows, { tombstoneTtlMs, receivedAt });
    switch (source) {
      case 'ces': {
        const settings = config.streams.ces.find((each) => each.stream === stream);
        if (settings === undefined) return undefined;
        const limits = { ...config.limits, timeoutMs: config.segmentTimeoutMs };
        const { segments, catalog } = store;
        return new CesReplayer(settings, { pipeline: intake, segments, catalog, limits });
      }
      case 'blob':
        return new FeedReplayer(stream, intake);
      case 'goldengate': {
        const settings = own(config.streams.goldengate, stream) ?? DEFAULT_GOLDENGATE_STREAM;
        const arrivals = new ArrivalPipeline(store, intake);
        const { catalog } = store;
        return new GoldenGateReplayer(stream, settings, {
          arrivals,
          parking,
          truncations,
          catalog,
          limits: config.limits,
        });
      }
      case 'qlik': {
        const settings = own(config.streams.qlik, stream) ?? DEFAULT_QLIK_STREAM;
        const arrivals = new ArrivalPipeline(store, intake);
        const { catalog } = store;
        return new QlikReplayer(stream, settings, {
          pipeline: intake,
          arrivals,
          parking,
          catalog,
          limits: config.limits,
        });
      }
    }
  };
}

function own<Settings>(streams: { readonly [stream: string]: Settings }, stream: string): Settings | undefined {
  return Object.hasOwn(streams, stream) ? streams[stream] : undefined;
}
