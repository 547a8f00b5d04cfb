import type { Answer } from '../../../shared/body/answer.ts';
import type { IngestRequest } from '../../../shared/body/ingestRequest.ts';
import { type Response, respond } from '../../../shared/body/respond.ts';
import { DEFAULT_QLIK_STREAM, type QlikStream } from '../../../shared/config.ts';
import { ArrivalPipeline } from '../../../shared/ingest/arrival.ts';
import { Parking } from '../../../shared/ingest/parking.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { StreamCounters } from '../../../shared/ingest/streamCounters.ts';
import { QlikConsumer } from '../../../shared/qlik/consumer.ts';
import type { TestStore } from '../testStore.ts';

/** The consumer of a stream, as a process that has just started has it. */
export async function consumerOn(
  test: TestStore,
  stream: string,
  settings: Partial<QlikStream> = test.config.streams.qlik[stream] ?? {},
): Promise<QlikConsumer> {
  const store = await test.open();
  const pipeline = new Pipeline(store, test.config);
  return new QlikConsumer(
    stream,
    { ...DEFAULT_QLIK_STREAM, ...settings },
    {
      pipeline,
      arrivals: new ArrivalPipeline(store, pipeline),
      parking: new Parking(store.parked, pipeline, test.config.parkedTimeoutMs),
      catalog: store.catalog,
      counters: new StreamCounters(store.counters, 'qlik', stream, 'test'),
      limits: test.config.limits,
    },
  );
}

/** A request with these bytes. */
export function requestOf(stream: string, body: Uint8Array | string): IngestRequest {
  const bytes = Buffer.from(body);
  return {
    stream,
    header: (name) => (name === 'content-length' ? String(bytes.byteLength) : null),
    body: async () => bytes,
  };
}

/** Posts `body` to a stream. */
export function post(consumer: QlikConsumer, stream: string, body: Uint8Array | string): Promise<Response> {
  return respond(requestOf(stream, body), (request, deadline) => consumer.ingest(request, deadline));
}

/** The counts of an answer that are not zero. */
export function countsOf({ status, body }: Response): { readonly [name: string]: unknown } {
  if (status !== 200) return { status, ...body };
  const { errors, ...counts } = body as Answer;
  const present = Object.entries(counts).filter(([, count]) => count !== 0);
  return {
    ...Object.fromEntries(present),
    ...(errors.length === 0 ? {} : { reasons: errors.map((each) => each.reason) }),
  };
}
