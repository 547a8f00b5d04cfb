import { type Part, partOf, splitBody } from '../body/parts.ts';
import type { BodyLimits } from '../body/readBody.ts';
import type { JsonValue } from '../change/json.ts';
import type { GoldenGateStream } from '../config.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { ChangeMaker } from './dataChange.ts';
import { isObject, type JsonObject } from './members.ts';
import { type Operations, operationsOf } from './operations.ts';
import { type GoldenGateRecord, readRecord } from './record.ts';
import { RecordShapes } from './recordShapes.ts';
import { isBare, unwrap } from './unwrap.ts';

/** A record of a request, or of the records that waited. */
export interface ReadRecord {
  readonly content: GoldenGateRecord | UnprocessableError;
  readonly cloudEvent: JsonObject | null;
  /** What it was read from: with its envelope where it is alone in one, an element where it came in a list. */
  readonly part: Part;
  readonly position: Position;
}

/** What the bytes of a record do not tell: the attributes of the CloudEvent around it, as `cloudEvent`. */
export type Position = JsonObject;

const NOWHERE: Position = {};

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

  /** The records that one part of a body is, mostly one. `cloudEvent`: attributes of the event that the body is. */
  read(part: Part, cloudEvent: JsonObject | null = null): Iterable<ReadRecord> {
    return this.#read(part, cloudEvent, 0);
  }

  /**
   * What was kept of a record, read again: the record itself, as it was kept. Several where the bytes hold a list that could
   * not be read before.
   */
  readAgain(bytes: Uint8Array, position: Position): readonly ReadRecord[] {
    const part = partOf(bytes, this.#limits);
    const { nested, cloudEvent } = position;
    const records = [
      ...(typeof nested === 'number'
        ? this.#readNested(part, nested)
        : this.#read(part, isObject(cloudEvent) ? cloudEvent : null, 0)),
    ];
    const [only] = records;
    return only !== undefined && records.length === 1 ? [{ ...only, part, position }] : records;
  }

  /** `around`: attributes of the CloudEvent that the part came in, which it does not tell itself. */
  #read(part: Part, around: JsonObject | null, layers: number): Iterable<ReadRecord> {
    const { content } = part;
    if (content instanceof UnprocessableError) return [inPlace(part, content, null, around)];
    if (isBare(content, this.maker.fields)) return [inPlace(part, this.#readOne(content), null, around)];
    try {
      const {
        record,
        parts,
        cloudEvent,
        layers: all,
      } = unwrap(content, part.byteLength, layers, this.maker.fields, this.#split);
      if (parts !== null) return this.#readAll(parts, cloudEvent ?? around, all);
      return [inPlace(part, this.#readOne(record), cloudEvent, around)];
    } catch (error) {
      return [inPlace(part, unprocessable(error), null, around)];
    }
  }

  *#readAll(parts: Iterable<Part>, around: JsonObject | null, layers: number): Generator<ReadRecord> {
    for (const part of parts) yield* this.#read(part, around, layers);
  }

  /** The record at `place` of the list in an envelope: once, each record of such a list was kept with the whole envelope. */
  #readNested(part: Part, place: number): Iterable<ReadRecord> {
    const missing = new UnprocessableError('undecodable', 'the record is not where it was');
    if (part.content instanceof UnprocessableError) return [inPlace(part, part.content, null, null)];
    try {
      const { parts, cloudEvent, layers } = unwrap(part.content, part.byteLength, 0, this.maker.fields, this.#split);
      let at = 0;
      for (const each of parts ?? []) if (at++ === place) return this.#read(each, cloudEvent, layers);
      return [inPlace(part, missing, null, null)];
    } catch (error) {
      return [inPlace(part, unprocessable(error), null, null)];
    }
  }

  #readOne(record: JsonValue): GoldenGateRecord | UnprocessableError {
    try {
      return readRecord(record, this.maker.fields, this.#shapes, this.#operations);
    } catch (error) {
      return unprocessable(error);
    }
  }

  /** A text in an envelope is cut as a body is: exactly, and perhaps into several records. */
  readonly #split = (text: string): Iterator<Part, undefined> => splitBody(Buffer.from(text), this.#limits);
}

function inPlace(
  part: Part,
  content: GoldenGateRecord | UnprocessableError,
  own: JsonObject | null,
  around: JsonObject | null,
): ReadRecord {
  if (own !== null || around === null) return { content, cloudEvent: own, part, position: NOWHERE };
  return { content, cloudEvent: around, part, position: { cloudEvent: around } };
}

/** Errors of decoding are data; anything else is a fault of ours and goes up. */
export function unprocessable(error: unknown): UnprocessableError {
  if (error instanceof UnprocessableError) return error;
  throw error;
}
