import { readFileSync } from 'node:fs';
import { EMPLOYEE_8_INSERT } from '../../local/samples/employee8.ts';
import { splitEvent } from '../../local/samples/splitEvent.ts';
import type { HubEvent } from '../../shared/ces/batch.ts';
import { runtime } from '../../shared/runtime.ts';
import { createContainers } from '../../shared/store/client.ts';

/** The app's side of the benchmark `large-event`: consumes the batches that it is sent and reports its own memory. */
const SAMPLE_EVERY_MS = 5;

const { config, cesConsumer } = await runtime();
await createContainers(config.cosmos);
const [stream] = config.streams.ces;
if (stream === undefined) throw new TypeError('there is no ces stream');
const consumer = cesConsumer(stream);

/**
 * The peak that the system itself noted, so that no moment between samples is missed; 0 where it cannot tell. What
 * `process.resourceUsage` says begins with the size of the process that this one was forked from.
 */
const highWaterMark = (): number => {
  if (process.platform !== 'linux') return 0;
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kibibytes ?? 0) * 1_024;
};

let received = 0;
const hubEvent = (bytes: Uint8Array): HubEvent => {
  received++;
  return {
    bytes,
    partition: '0',
    sequenceNumber: received,
    offset: String(received),
    enqueuedAt: '2026-08-07T16:31:00.000Z',
  };
};

// Every module loaded, every connection open, every type built: what comes after is the event's doing.
await consumer.consume(splitEvent(EMPLOYEE_8_INSERT, { encoding: 'json', base: 0, segments: 3 }).map(hubEvent));
await consumer.consume(splitEvent(EMPLOYEE_8_INSERT, { encoding: 'avro', base: 1, segments: 3 }).map(hubEvent));
globalThis.gc?.();
const idleBytes = process.memoryUsage.rss();
let peakBytes = idleBytes;
const sample = () => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss(), highWaterMark());
};
setInterval(sample, SAMPLE_EVERY_MS).unref();

process.on('message', async (bodies: Uint8Array[]) => {
  await consumer.consume(bodies.map(hubEvent));
  sample();
  process.send?.({ idleBytes, peakBytes });
});
process.send?.({ idleBytes, peakBytes });
