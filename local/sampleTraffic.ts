import { setTimeout as delay } from 'node:timers/promises';
import { EventHubProducerClient } from '@azure/event-hubs';
import { z } from 'zod';
import { EMPLOYEE_8 } from './samples/employee8.ts';
import { renderAvro, renderJson } from './samples/render.ts';
import type { SampleEvent } from './samples/sampleEvent.ts';
import { shopEvents } from './samples/shop.ts';
import { splitEvent } from './samples/splitEvent.ts';
import type { StackDescription } from './stack.ts';

const SHOP = { seed: 20_260_807, changes: 300, descriptionCharacters: 4_000 } as const;
/** Events with more data than this come in segments, as they do from a server with a small `max_message_size_kb`. */
const SEGMENT_BYTES = 4_096;
/** The shop's server sends every so many events in the encoding `Binary`. */
const AVRO_EVERY = 4;

const APPLIED_WITHIN_MS = 30_000;
const POLL_MS = 200;

/**
 * Sends the life of employee 8 and a few hundred changes of a small shop (JSON, Avro, split and whole) to the first hub,
 * and waits until the app has taken them in. Returns the number of messages.
 */
export async function sendSamples(stack: StackDescription): Promise<number> {
  const producer = new EventHubProducerClient(stack.eventHubsConnectionString, stack.eventHubName);
  const bodies = [...EMPLOYEE_8.map((event) => renderJson(event)), ...shopBodies()];
  try {
    await sendAll(producer, bodies);
  } finally {
    await producer.close();
  }
  await untilReceived(stack, bodies.length);
  return bodies.length;
}

/** Sends `bodies` in order, in as few requests as they fit in, to partitions in turn. */
export async function sendAll(producer: EventHubProducerClient, bodies: Iterable<Uint8Array>): Promise<void> {
  let batch = await producer.createBatch();
  for (const body of bodies) {
    const event = { body: Buffer.from(body) };
    if (batch.tryAdd(event)) continue;
    await producer.sendBatch(batch);
    batch = await producer.createBatch();
    if (!batch.tryAdd(event)) throw new RangeError(`an event of ${body.byteLength} bytes does not fit in a batch`);
  }
  if (batch.count > 0) await producer.sendBatch(batch);
}

function* shopBodies(): Generator<Uint8Array> {
  let count = 0;
  for (const event of shopEvents(SHOP)) yield* bodiesOf(event, ++count % AVRO_EVERY === 0);
}

function bodiesOf(event: SampleEvent, isAvro: boolean): readonly Uint8Array[] {
  const whole = isAvro ? renderAvro(event) : renderJson(event);
  if (whole.byteLength <= SEGMENT_BYTES) return [whole];
  return splitEvent(event, { encoding: isAvro ? 'avro' : 'json', base: 0, maxBytes: SEGMENT_BYTES });
}

const statusAnswer = z.object({
  streams: z.array(z.object({ source: z.string(), stream: z.string(), received: z.number() })),
});

async function untilReceived(stack: StackDescription, expected: number): Promise<void> {
  const deadline = Date.now() + APPLIED_WITHIN_MS;
  for (;;) {
    const response = await fetch(`${stack.functionsUrl}/api/status`, {
      headers: { 'x-functions-key': stack.functionKey },
    });
    const { streams } = statusAnswer.parse(await response.json());
    const stream = streams.find(({ source, stream: name }) => source === 'ces' && name === stack.cesStream);
    if (stream !== undefined && stream.received >= expected) return;
    if (Date.now() > deadline) throw new Error(`only ${stream?.received} of ${expected} sample events were taken in`);
    await delay(POLL_MS);
  }
}
