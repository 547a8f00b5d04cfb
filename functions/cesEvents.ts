import { app, type InvocationContext, trigger } from '@azure/functions';
import type { CesConsumer } from '../shared/ces/consumer.ts';
import { type CesStream, readConfig } from '../shared/config.ts';
import { runtime } from '../shared/runtime.ts';
import { eventPositions } from './eventPositions.ts';

/**
 * Without a retry policy a batch whose invocation throws is checkpointed all the same, and lost. With this one the
 * partition waits, however long the store is away. Bad records never throw, so nothing else can hold it.
 */
const RETRY_WITHOUT_END = {
  strategy: 'exponentialBackoff',
  maxRetryCount: -1,
  minimumInterval: { seconds: 1 },
  maximumInterval: { minutes: 1 },
} as const;

readConfig(process.env).streams.ces.forEach((stream, index) => {
  let consumer: Promise<CesConsumer> | undefined;
  app.generic(functionName(stream, index), {
    trigger: trigger.generic({
      type: 'eventHubTrigger',
      connection: stream.connection,
      eventHubName: stream.eventHub,
      consumerGroup: stream.consumerGroup,
      cardinality: 'many',
      // Anything else lets the host parse or re-encode the bodies before they get here.
      dataType: 'binary',
    }),
    retry: RETRY_WITHOUT_END,
    handler: async (bodies: unknown, context: InvocationContext) => {
      consumer ??= runtime().then((shared) => shared.cesConsumer(stream));
      await (await consumer).consume(eventPositions(bodies, context.triggerMetadata));
    },
  });
});

/** Function names take no dots; stream names do. */
function functionName({ stream }: CesStream, index: number): string {
  return index === 0 ? 'cesEvents' : `cesEvents_${stream.replaceAll('.', '-')}`;
}
