import type { CesStream } from '../config.ts';
import type { StreamCounters } from '../ingest/streamCounters.ts';
import { type BatchReader, CesBatch, type HubEvent } from './batch.ts';
import { batchReaderOf, CesIntake, type CesIntakeParts } from './intake.ts';

export interface CesConsumerParts extends CesIntakeParts {
  readonly counters: StreamCounters;
}

/** Takes the batches of one CES stream from decoding to durable rows. */
export class CesConsumer {
  readonly #counters: StreamCounters;
  readonly #reader: BatchReader;
  readonly #intake: CesIntake;

  constructor(stream: CesStream, { counters, ...parts }: CesConsumerParts) {
    this.#counters = counters;
    this.#reader = batchReaderOf(stream);
    this.#intake = new CesIntake(stream.stream, parts);
  }

  /**
   * When it resolves, every effect of every event is durable and the batch may be acknowledged. Bad events never make it
   * throw; it throws StoreUnavailableError, and then the same batch has to come again.
   */
  async consume(events: readonly HubEvent[]): Promise<void> {
    const outcomes = await this.#counters.metered(() => this.#intake.take(new CesBatch(this.#reader, events)));
    const bytes = events.reduce((sum, event) => sum + event.bytes.byteLength, 0);
    this.#counters.count(outcomes, bytes, events.at(-1)?.enqueuedAt ?? null);
    await this.#counters.save();
  }
}
