import type { Delivery } from '../ingest/delivery.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { type FeedEvent, readEvent } from './feedEvent.ts';
import { normaliseEvent } from './normalise.ts';
import type { FeedRecord } from './recordDecoder.ts';
import { varintOf } from './varint.ts';

/** What a stream takes of its feed. */
export interface EventFilter {
  readonly stream: string;
  /** Events before it are left out; undefined takes all. */
  readonly startMs: number | undefined;
}

/** A record of the feed as the pipeline takes it, and when it happened where that can be told. */
export interface FeedDelivery extends Delivery {
  readonly eventTime: string | null;
  readonly byteLength: number;
}

/** Undefined for what the stream leaves out: internal records, and events before its start. */
export function deliveryOf({ stream, startMs }: EventFilter, record: FeedRecord): FeedDelivery | undefined {
  try {
    if (record.value instanceof UnprocessableError) throw record.value;
    const event = readEvent(record.value);
    if (event === undefined || isBefore(event, startMs)) return undefined;
    return new RecordDelivery(record, normaliseEvent(stream, event), event.eventTime);
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    return new RecordDelivery(record, error, null);
  }
}

/** Times that cannot be read count as late enough: better one event too many. */
function isBefore({ eventTime }: FeedEvent, startMs: number | undefined): boolean {
  return startMs !== undefined && Date.parse(eventTime) < startMs;
}

class RecordDelivery implements FeedDelivery {
  readonly decoded: Delivery['decoded'];
  readonly eventTime: string | null;
  readonly #record: FeedRecord;

  constructor(record: FeedRecord, decoded: Delivery['decoded'], eventTime: string | null) {
    this.#record = record;
    this.decoded = decoded;
    this.eventTime = eventTime;
  }

  get position(): Delivery['position'] {
    const { chunk, block, index } = this.#record;
    return { chunk: chunk.path, blockOffset: block.start, index };
  }

  get byteLength(): number {
    const { start, end } = this.#record;
    return end - start;
  }

  /**
   * An Avro file of its own, with the chunk's header and one block that holds this record, or what of the block could not
   * be decoded: whoever opens the dead letter has the schema at hand. Asked for only when there is one.
   */
  get bytes(): Buffer {
    const { chunk, block, index, value, start, end } = this.#record;
    const { header } = chunk;
    const count = value instanceof UnprocessableError ? block.count - index : 1;
    const payload = block.payload.subarray(start, end);
    return Buffer.concat([header.bytes, varintOf(count), varintOf(payload.length), payload, header.sync]);
  }
}
