import { setTimeout as sleep } from 'node:timers/promises';
import type { EventHubConsumerClient, EventPosition, ReceivedEventData, SubscribeOptions } from '@azure/event-hubs';

const DEADLINE_MS = 15_000;
const POLL_MS = 5;

/** Waits until a condition holds; fails the test after 15 seconds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      throw new Error(`timed out: ${what}`);
    }
    await sleep(POLL_MS);
  }
}

/** A running subscription to one partition: what it has received, and what went wrong. */
export interface Collector {
  readonly events: ReceivedEventData[];
  readonly errors: (Error & { code?: string })[];
  /** Whether the client gave up the partition. */
  readonly closed: () => boolean;
  stop(): Promise<void>;
}

/** Receives from one partition in the background. */
export function collect(
  client: EventHubConsumerClient,
  partitionId: string,
  startPosition: EventPosition,
  options: SubscribeOptions = {},
): Collector {
  const events: ReceivedEventData[] = [];
  const errors: Error[] = [];
  let closed = false;
  const subscription = client.subscribe(
    partitionId,
    {
      processEvents: async (batch) => {
        events.push(...batch);
      },
      processError: async (error) => {
        errors.push(error);
      },
      processClose: async () => {
        closed = true;
      },
    },
    { startPosition, maxBatchSize: 500, ...options },
  );
  return { events, errors, closed: () => closed, stop: () => subscription.close() };
}

/** Receives exactly `count` events of one partition. */
export async function receive(
  client: EventHubConsumerClient,
  partitionId: string,
  startPosition: EventPosition,
  count: number,
  options: SubscribeOptions = {},
): Promise<ReceivedEventData[]> {
  const collector = collect(client, partitionId, startPosition, options);
  await until(`${count} events of partition ${partitionId}`, () => collector.events.length >= count);
  await collector.stop();
  return collector.events;
}
