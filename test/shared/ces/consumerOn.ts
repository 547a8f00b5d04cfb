import { CesConsumer } from '../../../shared/ces/consumer.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { StreamCounters } from '../../../shared/ingest/streamCounters.ts';
import type { TestStore } from '../testStore.ts';

/** The consumer of the default stream, as a process that has just started has it. */
export async function consumerOn(test: TestStore): Promise<CesConsumer> {
  const store = await test.open();
  const [stream] = test.config.streams.ces;
  if (stream === undefined) throw new TypeError('there is no ces stream');
  return new CesConsumer(stream, {
    pipeline: new Pipeline(store, test.config),
    counters: new StreamCounters(store.counters, 'ces', stream.stream, 'test'),
    segments: store.segments,
    catalog: store.catalog,
    limits: { ...test.config.limits, timeoutMs: test.config.segmentTimeoutMs },
  });
}
