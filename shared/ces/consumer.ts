import type { CesStream } from '../config.ts';
import type { CatalogStorage } from '../ingest/catalogStore.ts';
import type { Pipeline } from '../ingest/pipeline.ts';
import type { SegmentStorage } from '../ingest/segmentStore.ts';
import type { StreamCounters } from '../ingest/streamCounters.ts';
import { type BatchReader, CesBatch, type HubEvent } from './batch.ts';
import type { SplitEventLimits } from './manifest.ts';
import { CesNormaliser } from './normalise.ts';
import { epochChooser } from './position.ts';
import { SplitEvents, type WholeEvent } from './splitEvents.ts';
import { TableCatalog } from './tableCatalog.ts';

/** Split events that a batch works on side by side. */
const SPLIT_EVENTS_IN_FLIGHT = 16;

export interface CesConsumerParts {
  readonly pipeline: Pipeline;
  readonly counters: StreamCounters;
  readonly segments: SegmentStorage;
  readonly catalog: CatalogStorage;
  readonly limits: SplitEventLimits;
}

/** Takes the batches of one CES stream from decoding to durable rows. */
export class CesConsumer {
  readonly #parts: CesConsumerParts;
  readonly #reader: BatchReader;
  readonly #splitEvents: SplitEvents;
  readonly #tables: TableCatalog;

  constructor(stream: CesStream, parts: CesConsumerParts) {
    this.#parts = parts;
    this.#reader = {
      stream: stream.stream,
      hub: stream.eventHub,
      normaliser: new CesNormaliser(stream),
      epochAt: epochChooser(stream.epochs),
    };
    this.#splitEvents = splitEventsOf(parts);
    this.#tables = new TableCatalog(parts.catalog, stream.stream);
  }

  /**
   * When it resolves, every effect of every event is durable and the batch may be acknowledged. Bad events never make it
   * throw; it throws StoreUnavailableError, and then the same batch has to come again.
   */
  async consume(events: readonly HubEvent[]): Promise<void> {
    const { pipeline, counters } = this.#parts;
    const batch = new CesBatch(this.#reader, events);
    const whole = await this.#absorb(batch);

    const pending = batch.slots.flatMap((slot) =>
      slot.delivery === undefined ? [] : { slot, delivery: slot.delivery },
    );
    const deliveries = pending.map(({ delivery }) => delivery);
    const outcomes = await pipeline.ingest('ces', this.#reader.stream, deliveries);
    pending.forEach(({ slot }, index) => {
      slot.outcome = outcomes[index] ?? slot.outcome;
    });
    await this.#tables.record(batch.sightings);
    await inParallel(whole, (event) => event.finish());

    const bytes = events.reduce((sum, event) => sum + event.bytes.byteLength, 0);
    const all = batch.slots.map(({ outcome }) => outcome);
    counters.count(all, bytes, events.at(-1)?.enqueuedAt ?? null);
    await counters.save();
  }

  /** Hands the pieces of each split event on; returns the events that became whole. */
  async #absorb(batch: CesBatch): Promise<WholeEvent[]> {
    const { groups } = batch;
    if (groups.length === 0) return [];
    const versions = await this.#parts.segments.readManifests(groups.map(({ key }) => key));
    const whole: WholeEvent[] = [];
    await inParallel([...groups.entries()], async ([index, group]) => {
      const absorbed = await this.#splitEvents.absorb(group.key, group.pieces, versions[index]);
      batch.settle(group, absorbed);
      if (absorbed.state === 'whole') whole.push(absorbed);
    });
    return whole;
  }
}

/** Split events over `parts`, whose dead letters go where all of them go. */
export function splitEventsOf({
  segments,
  limits,
  pipeline,
}: Pick<CesConsumerParts, 'segments' | 'limits' | 'pipeline'>): SplitEvents {
  return new SplitEvents(segments, limits, ({ scope, stream, logicalId }, reason, pieces) => {
    const verdict = { source: 'ces', stream, reason, detail: `the split event ${logicalId}` } as const;
    return pipeline.deadLetterPieces(verdict, `${scope}/${logicalId}`, pieces);
  });
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(SPLIT_EVENTS_IN_FLIGHT, items.length) }, worker));
}
