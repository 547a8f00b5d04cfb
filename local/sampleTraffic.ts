import { setTimeout as delay } from 'node:timers/promises';
import { EventHubProducerClient } from '@azure/event-hubs';
import { z } from 'zod';
import { writeSampleFeed } from './changefeed/sampleFeed.ts';
import { EMPLOYEE_8 } from './samples/employee8.ts';
import { sendPointOfSale } from './samples/goldengate/sendPointOfSale.ts';
import { sendStaff } from './samples/qlik/sendStaff.ts';
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
 * posts the frames of a GoldenGate Data Stream and the messages of a Qlik task, records a few hours of a change feed, and
 * waits until the app has taken them in. Returns the number of events.
 */
export async function sendSamples(stack: StackDescription): Promise<number> {
  const producer = new EventHubProducerClient(stack.eventHubsConnectionString, stack.eventHubName);
  const bodies = [...EMPLOYEE_8.map((event) => renderJson(event)), ...shopBodies()];
  try {
    await sendAll(producer, bodies);
  } finally {
    await producer.close();
  }
  const posRecords = await sendPointOfSale(stack);
  const staffMessages = await sendStaff(stack);
  const feedEvents = stack.changeFeedStream === '' ? 0 : await writeSampleFeed(stack.blobConnectionString);
  if (feedEvents > 0) await startFunction(stack, 'changeFeed');
  await untilReceived(stack, { source: 'ces', stream: stack.cesStream, expected: bodies.length });
  await untilReceived(stack, { source: 'blob', stream: stack.changeFeedStream, expected: feedEvents });
  return bodies.length + feedEvents + posRecords + staffMessages;
}

/** Starts a function out of turn, as the portal does. */
export async function startFunction(stack: StackDescription, name: string): Promise<void> {
  const response = await fetch(`${stack.functionsUrl}/admin/functions/${name}`, {
    method: 'POST',
    headers: { 'x-functions-key': stack.functionKey, 'content-type': 'application/json' },
    body: '{"input":""}',
  });
  if (!response.ok) throw new Error(`${name} was not started: status ${response.status}`);
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

interface Expectation {
  readonly source: string;
  readonly stream: string;
  readonly expected: number;
}

async function untilReceived(stack: StackDescription, { source, stream, expected }: Expectation): Promise<void> {
  const deadline = Date.now() + APPLIED_WITHIN_MS;
  for (;;) {
    const response = await fetch(`${stack.functionsUrl}/api/status`, {
      headers: { 'x-functions-key': stack.functionKey },
    });
    const { streams } = statusAnswer.parse(await response.json());
    const received = streams.find((each) => each.source === source && each.stream === stream)?.received ?? 0;
    if (received >= expected) return;
    if (Date.now() > deadline)
      throw new Error(`only ${received} of ${expected} sample events of ${stream} were taken in`);
    await delay(POLL_MS);
  }
}
