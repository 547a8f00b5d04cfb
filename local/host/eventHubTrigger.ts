import {
  EventHubConsumerClient,
  type EventPosition,
  earliestEventPosition,
  parseEventHubConnectionString,
  type ReceivedEventData,
  RetryMode,
} from '@azure/event-hubs';
import type { Log } from './appChild.ts';
import type { AppSupervisor } from './appSupervisor.ts';
import type { Checkpoint, CheckpointScope, CheckpointStore } from './checkpoints.ts';
import { InvocationCancelledError, messageOf } from './errors.ts';
import { eventHubInput, type SequenceNumberForm } from './eventHubPayload.ts';
import type { EventHubOptions } from './hostJson.ts';
import { PartitionReader } from './partitionReader.ts';
import type { EventHubFunction } from './registration.ts';
import { runWithRetry } from './retryPolicy.ts';

const CLIENT_RETRY = {
  mode: RetryMode.Exponential,
  maxRetries: 3,
  retryDelayInMs: 500,
  maxRetryDelayInMs: 5_000,
};

export interface EventHubTriggerOptions {
  readonly eventHub: EventHubFunction;
  readonly connectionString: string;
  readonly options: EventHubOptions;
  readonly checkpoints: CheckpointStore;
  readonly supervisor: AppSupervisor;
  readonly sequenceNumberForm: SequenceNumberForm;
  readonly log: Log;
}

function createClient(eventHub: EventHubFunction, connectionString: string): EventHubConsumerClient {
  const retry = { retryOptions: CLIENT_RETRY };
  // A hub named in the connection string wins over the trigger's, as in Azure.
  return parseEventHubConnectionString(connectionString).eventHubName === undefined
    ? new EventHubConsumerClient(eventHub.consumerGroup, connectionString, eventHub.eventHubName, retry)
    : new EventHubConsumerClient(eventHub.consumerGroup, connectionString, retry);
}

/**
 * The Event Hub trigger of one function: partitions in parallel, one batch at a time in each. A batch runs until it
 * succeeds or its retries end; then, **whether it succeeded or not**, the checkpoint moves on. Only a batch that the
 * closing host cut off gets no checkpoint, and comes again.
 */
export class EventHubTrigger {
  readonly #options: EventHubTriggerOptions;
  readonly #client: EventHubConsumerClient;
  readonly #scope: CheckpointScope;
  readonly #stopping = new AbortController();
  readonly #readers: PartitionReader[] = [];

  constructor(options: EventHubTriggerOptions) {
    this.#options = options;
    this.#client = createClient(options.eventHub, options.connectionString);
    this.#scope = {
      fullyQualifiedNamespace: this.#client.fullyQualifiedNamespace,
      eventHubName: this.#client.eventHubName,
      consumerGroup: options.eventHub.consumerGroup,
    };
  }

  get functionName(): string {
    return this.#options.eventHub.name;
  }

  /** Rejects when the hub or the checkpoints cannot be reached. */
  async start(): Promise<void> {
    const { checkpoints, options, log } = this.#options;
    await checkpoints.prepare();
    for (const partitionId of await this.#client.getPartitionIds()) {
      let batches = 0;
      const reader = new PartitionReader({
        client: this.#client,
        partitionId,
        start: await this.#startPosition(partitionId),
        maxBatchSize: options.maxEventBatchSize,
        prefetchCount: options.prefetchCount,
        handle: (events) => {
          batches += 1;
          return this.#handle(events, partitionId, batches % options.batchCheckpointFrequency === 0);
        },
        log: (line) => log(`${this.#options.eventHub.name}: ${line}`),
      });
      this.#readers.push(reader);
    }
    for (const reader of this.#readers) {
      reader.start();
    }
  }

  /** No batch begins and no retry is waited for any more; resolves when the running batches are over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#readers.map((reader) => reader.stop()));
    await this.#client.close();
  }

  async #startPosition(partitionId: string): Promise<EventPosition> {
    const checkpoint = await this.#options.checkpoints.read(this.#scope, partitionId);
    if (checkpoint !== undefined) {
      return { sequenceNumber: checkpoint.sequenceNumber, isInclusive: false };
    }
    const initial = this.#options.options.initialOffsetOptions;
    switch (initial.type) {
      case 'fromStart':
        return earliestEventPosition;
      case 'fromEnqueuedTime':
        return { enqueuedOn: new Date(initial.enqueuedTimeUtc) };
      case 'fromEnd': {
        // Fixed now: an event that is sent while the link is still opening must not be left out.
        const { lastEnqueuedSequenceNumber, isEmpty } = await this.#client.getPartitionProperties(partitionId);
        return isEmpty ? earliestEventPosition : { sequenceNumber: lastEnqueuedSequenceNumber, isInclusive: false };
      }
    }
  }

  async #handle(events: ReceivedEventData[], partitionId: string, checkpointDue: boolean): Promise<void> {
    const { eventHub, supervisor, sequenceNumberForm, log } = this.#options;
    const place = `${eventHub.name}, partition ${partitionId}, from sequence number ${events[0]?.sequenceNumber}`;
    try {
      const input = eventHubInput(eventHub.bindingName, events, this.#scope, partitionId, sequenceNumberForm);
      await runWithRetry(
        eventHub.retry,
        (retryContext) => supervisor.invoke(eventHub.name, { ...input, retryContext }),
        { signal: this.#stopping.signal, onFailure: (error) => log(`${place}: ${messageOf(error)}`) },
      );
    } catch (error) {
      if (error instanceof InvocationCancelledError) {
        throw error;
      }
      log(`${place}: ${events.length} events are given up, the checkpoint passes them (${messageOf(error)})`);
    }
    const last = events.at(-1);
    if (checkpointDue && last !== undefined) {
      await this.#checkpoint(partitionId, { sequenceNumber: last.sequenceNumber, offset: String(last.offset) });
    }
  }

  /** A checkpoint that cannot be written only means that a restart reads more again. */
  async #checkpoint(partitionId: string, checkpoint: Checkpoint): Promise<void> {
    const { checkpoints, eventHub, log } = this.#options;
    try {
      await checkpoints.write(this.#scope, partitionId, checkpoint);
    } catch (error) {
      log(`${eventHub.name}: checkpoint of partition ${partitionId} not written: ${messageOf(error)}`);
    }
  }
}
