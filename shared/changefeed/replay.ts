import type { Delivery, Outcome, RawRecord } from '../ingest/delivery.ts';
import type { Intake } from '../ingest/pipeline.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { DeadRecord, DecodedChange, Replayer } from '../ingest/replay.ts';
import { openFromStart } from './chunk.ts';
import { ChangeFeedError } from './errors.ts';
import { deliveryOf, type FeedDelivery } from './feedDelivery.ts';
import type { FeedSource } from './feedSource.ts';
import { RecordDecoder } from './recordDecoder.ts';

const NOTHING_TAKEN: Outcome = { outcome: 'ignored' };

/** Takes dead letters of one change feed in again. Each keeps an Avro file of its own, so nothing is read from the feed. */
export class FeedReplayer implements Replayer {
  readonly #stream: string;
  readonly #pipeline: Pick<Intake, 'ingest'>;

  constructor(stream: string, pipeline: Pick<Intake, 'ingest'>) {
    this.#stream = stream;
    this.#pipeline = pipeline;
  }

  async replay(record: DeadRecord): Promise<Outcome[]> {
    const deliveries = await this.#deliveriesOf(record);
    if (deliveries.length === 0) return [NOTHING_TAKEN];
    return this.#pipeline.ingest('blob', this.#stream, deliveries);
  }

  async decode(record: DeadRecord): Promise<(DecodedChange | UnprocessableError)[]> {
    return (await this.#deliveriesOf(record)).map(({ decoded }) => decoded);
  }

  async #deliveriesOf({ position, bytes }: RawRecord): Promise<Delivery[]> {
    const path = typeof position.chunk === 'string' ? position.chunk : '';
    const first = typeof position.index === 'number' ? position.index : 0;
    try {
      const records = await readChunk(this.#stream, path, bytes);
      // What is left of a block that could not be read begins at the record that failed.
      return records.map(({ bytes: own, decoded }, index) => {
        return { position: { ...position, index: first + index }, bytes: own, decoded };
      });
    } catch (error) {
      if (!(error instanceof ChangeFeedError || error instanceof UnprocessableError)) throw error;
      const decoded = new UnprocessableError('undecodable', error.message, { cause: error });
      return [{ position, bytes, decoded }];
    }
  }
}

/**
 * The changes in an Avro file as the change feed has them; internal records are left out. Throws ChangeFeedError when it
 * is none, UnprocessableError for a schema that is none.
 */
export async function readChunk(stream: string, path: string, bytes: Uint8Array): Promise<FeedDelivery[]> {
  const { chunk, blocks } = await openFromStart({ source: sourceOf(bytes), path, from: 0, length: bytes.byteLength });
  const decoder = RecordDecoder.of(chunk.header.schema);
  const deliveries: FeedDelivery[] = [];
  for await (const block of blocks) {
    for (const record of decoder.decode(chunk, block)) {
      const delivery = deliveryOf({ stream, startMs: undefined }, record);
      if (delivery !== undefined) deliveries.push(delivery);
    }
  }
  return deliveries;
}

/** A feed of one blob. */
function sourceOf(bytes: Uint8Array): FeedSource {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    host: '',
    read: async () => content,
    readRange: async (_name, offset, count) => content.subarray(offset, offset + count),
    async *list() {},
    folders: async () => [],
  };
}
