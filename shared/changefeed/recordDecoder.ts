import avro from 'avsc';
import type { JsonValue } from '../change/json.ts';
import type { ShardPosition } from '../ingest/cursorStore.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { Block, Chunk } from './chunk.ts';
import { readExactly } from './exactRecord.ts';
import { type Step, walkOf } from './recordWalk.ts';

/** A record of a block, or what is left of the block from a record on that cannot be decoded. */
export interface FeedRecord {
  readonly chunk: Chunk;
  readonly block: Block;
  /** Position in its block, from 0. */
  readonly index: number;
  readonly value: JsonValue | UnprocessableError;
  /** The record's own bytes in the block's payload. */
  readonly start: number;
  readonly end: number;
}

/** Where to go on after `record`. */
export function placeAfter({ block, index, value }: FeedRecord): Pick<ShardPosition, 'offset' | 'events'> {
  const isLast = index === block.count - 1 || value instanceof UnprocessableError;
  return isLast ? { offset: block.end, events: 0 } : { offset: block.start, events: index + 1 };
}

/** Containers mix a handful of schema versions over the years. */
const CACHED_SCHEMAS = 32;
const decoders = new Map<string, RecordDecoder>();

/** Decodes the records of every chunk that has one writer's schema: names, enums and field order come from there. */
export class RecordDecoder {
  readonly #type: avro.Type;
  readonly #walk: Step;

  private constructor(schema: string) {
    this.#type = avro.Type.forSchema(JSON.parse(schema), { omitRecordMethods: true });
    this.#walk = walkOf(this.#type);
  }

  /** The decoder of `schema`, from the cache when it was used lately. Throws UnprocessableError for what is no schema. */
  static of(schema: string): RecordDecoder {
    const known = decoders.get(schema);
    if (known !== undefined) return known;
    const [oldest] = decoders.keys();
    if (decoders.size === CACHED_SCHEMAS && oldest !== undefined) decoders.delete(oldest);
    try {
      const decoder = new RecordDecoder(schema);
      decoders.set(schema, decoder);
      return decoder;
    } catch (error) {
      throw new UnprocessableError('undecodable', 'the schema of the chunk is no Avro schema', { cause: error });
    }
  }

  /** The records of `block` from number `from` on. One that cannot be decoded takes the rest of its block with it. */
  decode(chunk: Chunk, block: Block, from = 0): FeedRecord[] {
    const { payload, count } = block;
    const records: FeedRecord[] = [];
    const walk = { bytes: payload, position: 0, isDelicate: false };
    for (let index = 0; index < count; index++) {
      const start = walk.position;
      try {
        walk.isDelicate = false;
        this.#walk(walk);
        if (index < from) continue;
        const value: JsonValue = walk.isDelicate
          ? readExactly(this.#type, { ...walk, position: start })
          : this.#type.decode(payload, start).value;
        records.push({ chunk, block, index, value, start, end: walk.position });
      } catch (error) {
        const detail = `${count - index} of the ${count} records of the block cannot be decoded`;
        const value = new UnprocessableError('undecodable', detail, { cause: error });
        records.push({ chunk, block, index, value, start, end: payload.length });
        break;
      }
    }
    return records;
  }
}
