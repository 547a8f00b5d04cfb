import { setTimeout as delay } from 'node:timers/promises';
import type { EventHubConsumerClient, EventPosition, ReceivedEventData } from '@azure/event-hubs';
import type { Log } from './appChild.ts';
import { messageOf } from './errors.ts';

/** Also how long the client takes to notice that its connection has gone while no event came. */
const MAX_WAIT_SECONDS = 10;
const RESUBSCRIBE_DELAY_MS = 1_000;
/** How much more credit than one prefetch a link may collect before it is replaced. */
const MAX_PREFETCHES_OF_CREDIT = 16;

export interface PartitionReaderOptions {
  readonly client: EventHubConsumerClient;
  readonly partitionId: string;
  readonly start: EventPosition;
  readonly maxBatchSize: number;
  readonly prefetchCount: number;
  /** Resolves when the batch is done with. Rejects when reading must end. */
  readonly handle: (events: ReceivedEventData[]) => Promise<void>;
  readonly log: Log;
}

/**
 * Reads one partition, one batch at a time, from a position that it keeps itself: the end of the last batch that was done
 * with. Whatever ends a subscription, the next one starts there, so that nothing is left out.
 *
 * The client adds a whole prefetch of credit to its link for every batch it asks for, however small the batch was, and
 * never counts what is outstanding. While a function is held up, everything that credit covers piles up in memory. So the
 * reader counts the credit that may be outstanding at most, and replaces the subscription when that passes a bound.
 */
export class PartitionReader {
  readonly #options: PartitionReaderOptions;
  readonly #stopping = new AbortController();
  #position: EventPosition;
  #running: Promise<void> = Promise.resolve();
  #endSubscription: () => void = () => undefined;

  constructor(options: PartitionReaderOptions) {
    this.#options = options;
    this.#position = options.start;
  }

  start(): void {
    this.#running = this.#readUntilStopped();
  }

  /** Asks for no further batch; resolves when the one in progress is over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#endSubscription();
    await this.#running;
  }

  async #readUntilStopped(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const failed = await this.#subscribeOnce();
      if (failed && !signal.aborted) {
        await delay(RESUBSCRIBE_DELAY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** One subscription, from start to end. True when it ended by itself. */
  async #subscribeOnce(): Promise<boolean> {
    const { client, partitionId, maxBatchSize, prefetchCount, log } = this.#options;
    const creditPerBatch = Math.max(prefetchCount, maxBatchSize);
    const ended = Promise.withResolvers<boolean>();
    let open = true;
    let creditAtMost = 0;
    let batch: Promise<void> = Promise.resolve();
    const end = (failed: boolean) => {
      open = false;
      ended.resolve(failed);
    };
    this.#endSubscription = () => end(false);

    const subscription = client.subscribe(
      partitionId,
      {
        processEvents: async (events) => {
          if (!open) {
            return;
          }
          batch = this.#handle(events);
          await batch;
          creditAtMost += creditPerBatch - events.length;
          if (creditAtMost >= creditPerBatch * MAX_PREFETCHES_OF_CREDIT) {
            end(false);
          }
        },
        processError: async (error) => {
          if (open) {
            log(`Partition ${partitionId}: ${messageOf(error)}`);
          }
        },
        processClose: async () => end(true),
      },
      {
        startPosition: this.#position,
        maxBatchSize,
        maxWaitTimeInSeconds: MAX_WAIT_SECONDS,
        prefetchCount,
        skipParsingBodyAsJson: true,
        ownerLevel: 0,
      },
    );
    const failed = await ended.promise;
    await subscription.close().catch((error) => log(`Partition ${partitionId}: ${messageOf(error)}`));
    await batch;
    return failed;
  }

  async #handle(events: ReceivedEventData[]): Promise<void> {
    const last = events.at(-1);
    if (last === undefined || this.#stopping.signal.aborted) {
      return;
    }
    try {
      await this.#options.handle(events);
      this.#position = { sequenceNumber: last.sequenceNumber, isInclusive: false };
    } catch {
      this.#stopping.abort();
      this.#endSubscription();
    }
  }
}
