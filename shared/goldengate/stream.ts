import { type Part, partOf, type SplitOptions, splitBody } from '../body/parts.ts';
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

type ReadLimits = Pick<BodyLimits, 'nestingLevels' | 'recordsPerRequest'>;

const NOWHERE: Position = {};

/** How the records of one stream are read. Pure. */
export class StreamReader {
  readonly maker: ChangeMaker;
  readonly #operations: Operations;
  readonly #shapes: RecordShapes;
  readonly #limits: ReadLimits;
  readonly #textOptions: SplitOptions;

  constructor(stream: string, settings: GoldenGateStream, limits: ReadLimits) {
    this.maker = new ChangeMaker(stream, settings);
    this.#operations = operationsOf(settings.operations);
    this.#shapes = new RecordShapes(this.maker.fields, settings.flattenDelimiter);
    this.#limits = limits;
    this.#textOptions = { nestingLevels: limits.nestingLevels, name: 'the text in the envelope' };
  }

  /** The records that one part of a body is, mostly one. `cloudEvent`: attributes of the event that the body is. */
  read(part: Part, cloudEvent: JsonObject | null = null): Iterable<ReadRecord> {
    return this.#read(part, cloudEvent, 0);
  }

  /**
   * What was kept of a record, read again: the record itself, as it was kept. Several where the bytes hold a list that
   * could not be read before; of more than a request may have, one that says so (`undecodable`).
   */
  readAgain(bytes: Uint8Array, position: Position): readonly ReadRecord[] {
    const { recordsPerRequest } = this.#limits;
    const part = partOf(bytes, this.#limits);
    const { cloudEvent } = position;
    const records: ReadRecord[] = [];
    for (const record of this.#read(part, isObject(cloudEvent) ? cloudEvent : null, 0)) {
      if (records.length === recordsPerRequest) {
        const content = new UnprocessableError('undecodable', `it holds more than ${recordsPerRequest} records`);
        return [{ content, cloudEvent: null, part, position }];
      }
      records.push(record);
    }
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

  #readOne(record: JsonValue): GoldenGateRecord | UnprocessableError {
    try {
      return readRecord(record, this.maker.fields, this.#shapes, this.#operations);
    } catch (error) {
      return unprocessable(error);
    }
  }

  /** A text in an envelope is cut as a body is: exactly, and perhaps into several records. */
  readonly #split = (text: string): Iterator<Part, undefined> => splitBody(Buffer.from(text), this.#textOptions);
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
