import type { CesStream } from '../config.ts';
import type { CatalogStorage } from '../ingest/catalogStore.ts';
import type { Outcome } from '../ingest/delivery.ts';
import type { Intake } from '../ingest/pipeline.ts';
import type { SegmentStorage } from '../ingest/segmentStore.ts';
import type { BatchReader, CesBatch, Group } from './batch.ts';
import type { SplitEventLimits } from './manifest.ts';
import { CesNormaliser } from './normalise.ts';
import { epochChooser } from './position.ts';
import { type Absorbed, SplitEvents, type WholeEvent } from './splitEvents.ts';
import { TableCatalog } from './tableCatalog.ts';

/** Split events that a batch works on side by side. */
const SPLIT_EVENTS_IN_FLIGHT = 16;

export interface CesIntakeParts {
  readonly pipeline: Intake;
  readonly segments: SegmentStorage;
  readonly catalog: CatalogStorage;
  readonly limits: SplitEventLimits;
}

/** Makes decoded batches of one stream durable. */
export class CesIntake {
  readonly #stream: string;
  readonly #parts: CesIntakeParts;
  readonly #splitEvents: SplitEvents;
  readonly #tables: TableCatalog;

  constructor(stream: string, parts: CesIntakeParts) {
    this.#stream = stream;
    this.#parts = parts;
    this.#splitEvents = splitEventsOf(parts);
    this.#tables = new TableCatalog(parts.catalog, stream);
  }

  /**
   * When it resolves, every effect of every event is durable. Outcomes stand in the order of the batch's slots. Throws
   * StoreUnavailableError; then the same batch has to come again.
   */
  async take(batch: CesBatch): Promise<Outcome[]> {
    const { groups } = batch;
    const versions = groups.length === 0 ? [] : await this.#parts.segments.readManifests(groups.map(({ key }) => key));
    return this.#take(batch, ({ key, pieces }, index) => this.#splitEvents.absorb(key, pieces, versions[index]));
  }

  /** As `take`, for what had become dead letters: a split event that was given up gets another chance. */
  async retake(batch: CesBatch): Promise<Outcome[]> {
    return this.#take(batch, ({ key, pieces }) => this.#splitEvents.revive(key, pieces));
  }

  async #take(batch: CesBatch, absorb: (group: Group, index: number) => Promise<Absorbed>): Promise<Outcome[]> {
    const whole: WholeEvent[] = [];
    await inParallel([...batch.groups.entries()], async ([index, group]) => {
      const absorbed = await absorb(group, index);
      batch.settle(group, absorbed);
      if (absorbed.state === 'whole') whole.push(absorbed);
    });
    const pending = batch.slots.flatMap((slot) =>
      slot.delivery === undefined ? [] : { slot, delivery: slot.delivery },
    );
    const deliveries = pending.map(({ delivery }) => delivery);
    const outcomes = await this.#parts.pipeline.ingest('ces', this.#stream, deliveries);
    pending.forEach(({ slot }, index) => {
      slot.outcome = outcomes[index] ?? slot.outcome;
    });
    await this.#tables.record(batch.sightings);
    await inParallel(whole, (event) => event.finish());
    return batch.slots.map(({ outcome }) => outcome);
  }
}

/** What the batches of `stream` are read with. */
export function batchReaderOf(stream: CesStream): BatchReader {
  return {
    stream: stream.stream,
    hub: stream.eventHub,
    normaliser: new CesNormaliser(stream),
    epochAt: epochChooser(stream.epochs),
  };
}

/** Split events over `parts`, whose dead letters go where all of them go. */
export function splitEventsOf({
  segments,
  limits,
  pipeline,
}: Pick<CesIntakeParts, 'segments' | 'limits' | 'pipeline'>): SplitEvents {
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
