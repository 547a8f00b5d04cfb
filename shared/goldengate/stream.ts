import { type Part, splitBody } from '../body/parts.ts';
import type { BodyLimits } from '../body/readBody.ts';
import type { JsonValue } from '../change/json.ts';
import type { GoldenGateStream } from '../config.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { ChangeMaker } from './dataChange.ts';
import type { JsonObject } from './members.ts';
import { type Operations, operationsOf } from './operations.ts';
import { type GoldenGateRecord, readRecord } from './record.ts';
import { RecordShapes } from './recordShapes.ts';
import { isBare, unwrap } from './unwrap.ts';

/** A record of a request, or of the records that waited. */
export interface ReadRecord {
  readonly content: GoldenGateRecord | UnprocessableError;
  readonly cloudEvent: JsonObject | null;
  /** What it was read from: the whole envelope, where it came in one. */
  readonly part: Part;
  /** Place in a list that its envelope holds; null where it is not in one. */
  readonly nested: number | null;
}

/** How the records of one stream are read. Pure. */
export class StreamReader {
  readonly maker: ChangeMaker;
  readonly #operations: Operations;
  readonly #shapes: RecordShapes;
  readonly #limits: Pick<BodyLimits, 'nestingLevels'>;

  constructor(stream: string, settings: GoldenGateStream, limits: Pick<BodyLimits, 'nestingLevels'>) {
    this.maker = new ChangeMaker(stream, settings);
    this.#operations = operationsOf(settings.operations);
    this.#shapes = new RecordShapes(this.maker.fields, settings.flattenDelimiter);
    this.#limits = limits;
  }

  /** The records that one part of a body is, mostly one. */
  read(part: Part): readonly ReadRecord[] {
    const { content } = part;
    if (content instanceof UnprocessableError) return [{ content, cloudEvent: null, part, nested: null }];
    if (isBare(content)) return [{ content: this.#readOne(content), cloudEvent: null, part, nested: null }];
    try {
      const records = unwrap(content, this.#parse);
      const [only] = records;
      if (only !== undefined && records.length === 1) {
        return [{ content: this.#readOne(only.record), cloudEvent: only.cloudEvent, part, nested: null }];
      }
      return records.map(({ record, cloudEvent }, at) => {
        return { content: this.#readOne(record), cloudEvent, part, nested: at };
      });
    } catch (error) {
      return [{ content: unprocessable(error), cloudEvent: null, part, nested: null }];
    }
  }

  /** The record that was at `nested` in `bytes`, from before. */
  readAgain(bytes: Uint8Array, nested: number | null): ReadRecord {
    const missing = new UnprocessableError('undecodable', 'the record is not where it was');
    const [part = { bytes, byteLength: bytes.byteLength, content: missing }] = splitBody(bytes, this.#limits);
    return this.read(part)[nested ?? 0] ?? { content: missing, cloudEvent: null, part, nested };
  }

  #readOne(record: JsonValue): GoldenGateRecord | UnprocessableError {
    try {
      return readRecord(record, this.maker.fields, this.#shapes, this.#operations);
    } catch (error) {
      return unprocessable(error);
    }
  }

  /** A text in an envelope, read as a body is: exactly, and perhaps of several records. */
  readonly #parse = (text: string): JsonValue => {
    const values = [...splitBody(Buffer.from(text), this.#limits)].map(({ content }) => {
      if (content instanceof UnprocessableError) throw content;
      return content;
    });
    const [first] = values;
    if (first === undefined) throw new UnprocessableError('undecodable', 'an envelope holds an empty text');
    return values.length === 1 ? first : values;
  };
}

/** Errors of decoding are data; anything else is a fault of ours and goes up. */
export function unprocessable(error: unknown): UnprocessableError {
  if (error instanceof UnprocessableError) return error;
  throw error;
}
