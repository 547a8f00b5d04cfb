import type { Answer } from '../../../shared/body/answer.ts';
import { type Response, respond } from '../../../shared/body/respond.ts';
import { DEFAULT_GOLDENGATE_STREAM, type GoldenGateStream } from '../../../shared/config.ts';
import { GoldenGateConsumer } from '../../../shared/goldengate/consumer.ts';
import { ArrivalPipeline } from '../../../shared/ingest/arrival.ts';
import { Parking } from '../../../shared/ingest/parking.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { RowWriter } from '../../../shared/ingest/rowWriter.ts';
import { StreamCounters } from '../../../shared/ingest/streamCounters.ts';
import { Truncations } from '../../../shared/ingest/truncations.ts';
import type { TestStore } from '../testStore.ts';

export interface Instance {
  readonly consumer: GoldenGateConsumer;
  readonly parking: Parking;
  readonly truncations: Truncations;
}

/** The parts of one stream, as a process that has just started has them. */
export async function instanceOn(
  test: TestStore,
  stream: string,
  settings: Partial<GoldenGateStream> = {},
  parkedTimeoutMs = test.config.parkedTimeoutMs,
): Promise<Instance> {
  const store = await test.open();
  const pipeline = new Pipeline(store, test.config);
  const parking = new Parking(store.parked, pipeline, parkedTimeoutMs);
  const rowWriter = new RowWriter(store.rows, test.config.tombstoneTtlSeconds);
  const truncations = new Truncations(store.catalog, store.truncations, rowWriter);
  const consumer = new GoldenGateConsumer(
    stream,
    { ...DEFAULT_GOLDENGATE_STREAM, ...settings },
    {
      arrivals: new ArrivalPipeline(store, pipeline),
      parking,
      truncations,
      catalog: store.catalog,
      counters: new StreamCounters(store.counters, 'goldengate', stream, 'test'),
      limits: test.config.limits,
    },
  );
  return { consumer, parking, truncations };
}

/** Posts `body`: an object or list as JSON, a text or bytes as they are. */
export function post(
  consumer: GoldenGateConsumer,
  stream: string,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const request = {
    stream,
    header: (name: string) => headers[name] ?? (name === 'content-length' ? String(bytes.byteLength) : null),
    body: async () => bytes,
  };
  return respond(request, (each, deadline) => consumer.ingest(each, deadline));
}

/** The counts of an answer that are not zero, and the reasons of its errors; of another answer, its status. */
export function countsOf({ status, body }: Response): { readonly [name: string]: unknown } {
  if (status !== 200) return { status };
  const { errors, received: _, ...counts } = body as Answer;
  const present = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
  return errors.length === 0 ? present : { ...present, reasons: errors.map(({ index, reason }) => [index, reason]) };
}
