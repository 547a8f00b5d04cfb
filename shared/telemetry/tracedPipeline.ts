import { Pipeline } from '../ingest/pipeline.ts';
import { telemetry } from './telemetry.ts';

/** The pipeline, each batch within a span. */
export class TracedPipeline extends Pipeline {
  override ingest(...batch: Parameters<Pipeline['ingest']>): ReturnType<Pipeline['ingest']> {
    const [source, stream, deliveries] = batch;
    return telemetry().batch(source, stream, deliveries.length, () => super.ingest(...batch));
  }
}
