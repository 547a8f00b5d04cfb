import { parentPort, Worker, workerData } from 'node:worker_threads';
import { EventHubBufferedProducerClient } from '@azure/event-hubs';

/**
 * Sends one event per key, with the key as its body, through the client's buffered producer. The client keeps its process alive for ten
 * seconds after it was closed, so it runs in a thread that is ended.
 */
export async function sendBuffered(connectionString: string, hub: string, keys: readonly string[]): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { connectionString, hub, keys } });
  await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
}

async function send({ connectionString, hub, keys }: { connectionString: string; hub: string; keys: string[] }) {
  const client = new EventHubBufferedProducerClient(connectionString, hub, {
    maxWaitTimeInMs: 20,
    onSendEventsErrorHandler: async ({ error }) => {
      throw error;
    },
  });
  for (const key of keys) {
    await client.enqueueEvent({ body: key }, { partitionKey: key });
  }
  await client.close({ flush: true });
}

if (parentPort !== null) {
  await send(workerData);
  parentPort.postMessage('sent');
}
