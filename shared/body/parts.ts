import { isAscii, isUtf8 } from 'node:buffer';
import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import {
  BYTE_ORDER_MARK,
  CLOSE_BRACKET,
  COMMA,
  isBlank,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
  RECORD_SEPARATOR,
} from './jsonBytes.ts';
import { JsonScanner, type Patch } from './jsonScanner.ts';
import type { BodyLimits } from './readBody.ts';

/** One part of a body: a record, as far as the framing knows. */
export interface Part {
  /** Its bytes, exactly, without what frames it. */
  readonly bytes: Uint8Array;
  readonly byteLength: number;
  /** Its value with exact numbers, or why it has none (`undecodable`). */
  readonly content: JsonValue | UnprocessableError;
}

/** Cuts its bytes out only when they are asked for: few parts of few bodies are ever kept as they came. */
class BodyPart implements Part {
  readonly content: JsonValue | UnprocessableError;
  readonly byteLength: number;
  readonly #body: Buffer;
  readonly #start: number;

  constructor(body: Buffer, start: number, end: number, content: JsonValue | UnprocessableError) {
    this.content = content;
    this.byteLength = end - start;
    this.#body = body;
    this.#start = start;
  }

  get bytes(): Uint8Array {
    return this.#body.subarray(this.#start, this.#start + this.byteLength);
  }
}

export interface SplitOptions extends Pick<BodyLimits, 'nestingLevels'> {
  /** Parses a part in place of `JSON.parse` with exact numbers, for sources that need the digits of each number. */
  readonly parse?: (text: string) => JsonValue;
}

/** The member of an envelope whose elements are the parts: what Kafka's REST proxy takes. Closed by its quotation mark. */
const ENVELOPE_LIST = Buffer.from('"records"');
/** Bytes that may be looked at again after a missing quotation mark, in bodies. Bounds what a hostile one can cost. */
const MAX_SECOND_LOOKS = 8;
/** Elements of a list that are parsed in one go, and the bytes that they may reach before no more are added. */
const MAX_RUN_PARTS = 32;
const RUN_BYTES = 32_768;
/** Where such elements become a list. */
const LIST = Buffer.allocUnsafeSlow(2 * RUN_BYTES);
const TOP_STOPS = [OPEN_BRACE, OPEN_BRACKET, LINE_FEED];
const LIST_STOPS = [COMMA, CLOSE_BRACKET, LINE_FEED];

/** Where elements that follow each other lie, and what to patch in them. */
interface Run {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly patches: readonly Patch[];
}

type Place = 'top' | 'list' | 'envelope';

/**
 * Cuts a body into its parts: the elements of an array, each of several objects or arrays that follow each other with or
 * without white space, commas or line ends between them, the elements of `records` in an envelope. Parts come one by one,
 * so that what was read counts whatever comes after it. A part that cannot be read is reported and left behind:
 * - One whose brackets match ends where they do, so its neighbours are found.
 * - Where a quotation mark or bracket is missing, reading goes on at the next line that starts an object. Only where there
 *   is none is the rest of the body lost with the part.
 * - An array or envelope that the body's end cuts off is reported too, after the parts in it that are whole.
 */
export function splitBody(body: Uint8Array, options: SplitOptions): IterableIterator<Part, undefined> {
  return new Splitter(body, options);
}

/** No generator, though it would read better: handing a part on would cost as much as reading ten bytes of it. */
class Splitter implements IterableIterator<Part, undefined> {
  readonly #bytes: Buffer;
  readonly #scanner: JsonScanner;
  readonly #parse: (text: string) => JsonValue;
  readonly #keepsExact: boolean;
  readonly #maxLevels: number;
  readonly #isUtf8: boolean;
  /** Of plain ASCII, both give the same text, one of them sooner. */
  readonly #encoding: 'latin1' | 'utf8';
  #at = 0;
  #place: Place = 'top';
  #secondLooks = 0;
  /** Up to here, elements of a list are read one by one: together they could not be. */
  #singlyUntil = 0;
  /** The last run, and how many of its parts have been handed on. */
  #run: readonly Part[] = [];
  #handedOn = 0;

  constructor(body: Uint8Array, options: SplitOptions) {
    this.#bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.#scanner = new JsonScanner(this.#bytes, options.nestingLevels);
    this.#parse = options.parse ?? JSON.parse;
    this.#keepsExact = options.parse === undefined;
    this.#maxLevels = options.nestingLevels;
    this.#isUtf8 = isUtf8(body);
    this.#encoding = isAscii(body) ? 'latin1' : 'utf8';
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Part, undefined> {
    const part = this.#run[this.#handedOn++] ?? this.#nextPart();
    return part === undefined ? { value: undefined, done: true } : { value: part, done: false };
  }

  #nextPart(): Part | undefined {
    for (;;) {
      this.#skipBetween();
      const start = this.#at;
      const first = this.#bytes[start];
      if (first === undefined) return this.#endOfBody(start);
      let part: Part | undefined;
      if (this.#place !== 'top' && first === CLOSE_BRACKET) this.#leaveList();
      else if (this.#place === 'top' && first === OPEN_BRACKET) this.#enterList('list', start);
      else if (first === OPEN_BRACE && this.#mayRun(start)) part = this.#firstOfRun(start);
      else if (first === OPEN_BRACE || first === OPEN_BRACKET) part = this.#composite(start);
      else part = this.#scalar(start);
      if (part !== undefined) return part;
    }
  }

  #endOfBody(start: number): Part | undefined {
    if (this.#place === 'top') return undefined;
    this.#place = 'top';
    return this.#bad(start, start, 'the body ends before its list of records does');
  }

  #skipBetween(): void {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at] ?? 0;
      if (isBlank(byte) || byte === COMMA || byte === RECORD_SEPARATOR) continue;
      if (byte !== BYTE_ORDER_MARK[0] || bytes[this.#at + 1] !== BYTE_ORDER_MARK[1]) return;
      if (bytes[this.#at + 2] !== BYTE_ORDER_MARK[2]) return;
      this.#at += BYTE_ORDER_MARK.length - 1;
    }
  }

  #enterList(place: Place, start: number): void {
    this.#place = place;
    this.#at = start + 1;
  }

  #leaveList(): void {
    const isEnvelope = this.#place === 'envelope';
    this.#place = 'top';
    this.#at++;
    if (!isEnvelope) return;
    const end = this.#scanner.endOfComposite(this.#at, 1);
    // Members that follow the list say nothing about rows; an envelope that they cut off has lost none of its records.
    this.#at = end < 0 ? this.#bytes.length : end;
  }

  #mayRun(start: number): boolean {
    return this.#place !== 'top' && this.#keepsExact && this.#isUtf8 && start >= this.#singlyUntil;
  }

  #firstOfRun(start: number): Part | undefined {
    this.#run = this.#readRun(start);
    this.#handedOn = 1;
    return this.#run[0];
  }

  /**
   * The elements of a list from `start` on, as many as nothing is wrong with: the engine parses a short list faster than
   * its elements. None where they are no list to it; they are then read one by one, to tell which of them is bad.
   */
  #readRun(start: number): readonly Part[] {
    const { starts, ends, patches } = this.#runBounds(start);
    const end = ends.at(-1) ?? start;
    this.#singlyUntil = Math.max(end, start + 1);
    if (ends.length < 2) return [];
    try {
      const contents: JsonValue = JSON.parse(this.#listOf(start, end, patches));
      if (!Array.isArray(contents) || contents.length !== ends.length) return [];
      this.#at = end;
      return contents.map((content, at) => new BodyPart(this.#bytes, starts[at] ?? 0, ends[at] ?? 0, content));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return [];
    }
  }

  #runBounds(start: number): Run {
    const scanner = this.#scanner;
    const starts: number[] = [];
    const ends: number[] = [];
    const patches: Patch[] = [];
    let at = start;
    while (ends.length < MAX_RUN_PARTS && at - start < RUN_BYTES && this.#bytes[at] === OPEN_BRACE) {
      const end = scanner.endOfComposite(at);
      if (end < 0 || scanner.tooDeep || scanner.tooOdd || scanner.brokenLine) break;
      starts.push(at);
      ends.push(end);
      for (const patch of scanner.patches) patches.push(patch);
      at = end;
      while (isBlank(this.#bytes[at])) at++;
      if (this.#bytes[at] !== COMMA) break;
      at++;
      while (isBlank(this.#bytes[at])) at++;
    }
    return { starts, ends, patches };
  }

  /** The object or array at `start`; undefined when it turns out to be an envelope, whose list comes next. */
  #composite(start: number): Part | undefined {
    const scanner = this.#scanner;
    const end = scanner.endOfComposite(start, 0, this.#place === 'top' ? ENVELOPE_LIST : undefined);
    if (scanner.listStart >= 0) {
      this.#enterList('envelope', scanner.listStart);
      return undefined;
    }
    if (end < 0) return this.#resume(start, this.#bytes.length, 'its end is missing');
    const part = this.#read(start, end);
    // A line break inside a text: its quotation mark is probably missing, and the end that was found is another part's.
    if (part.content instanceof UnprocessableError && scanner.brokenLine) {
      return this.#resume(start, end, 'a quotation mark is missing');
    }
    this.#at = end;
    return part;
  }

  #scalar(start: number): Part {
    const end = this.#scanner.endOfScalar(start, this.#place === 'top' ? TOP_STOPS : LIST_STOPS);
    this.#at = Math.max(end, start + 1);
    let last = this.#at;
    while (isBlank(this.#bytes[last - 1])) last--;
    return this.#read(start, last);
  }

  /** A bad part that ends where the next line starts an object, at `limit` if none does. */
  #resume(start: number, limit: number, detail: string): Part {
    const bytes = this.#bytes;
    this.#secondLooks += limit - start;
    let end = limit;
    if (this.#secondLooks <= MAX_SECOND_LOOKS * bytes.length) {
      for (
        let line = bytes.indexOf(LINE_FEED, start);
        line >= 0 && line < limit;
        line = bytes.indexOf(LINE_FEED, line)
      ) {
        const endOfLine = line;
        while (isBlank(bytes[line])) line++;
        if (bytes[line] !== OPEN_BRACE) continue;
        end = endOfLine;
        break;
      }
    }
    this.#at = end;
    // What is cut off by the body's end is reported once, not again as a list without an end.
    if (end === bytes.length) this.#place = 'top';
    return this.#bad(start, end, detail);
  }

  #read(start: number, end: number): Part {
    if (this.#scanner.tooDeep) return this.#bad(start, end, `it nests deeper than ${this.#maxLevels} levels`);
    if (this.#scanner.tooOdd) return this.#bad(start, end, 'it has too many control characters or long numbers');
    if (!this.#isUtf8 && !isUtf8(this.#bytes.subarray(start, end)))
      return this.#bad(start, end, 'it holds bytes that are not UTF-8');
    try {
      return new BodyPart(this.#bytes, start, end, this.#parse(this.#textOf(start, end, this.#scanner.patches)));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      // The engine's own message quotes the text, and the text holds row values.
      return this.#bad(start, end, 'it is not JSON');
    }
  }

  /** The elements from `start` to `end` as a list. */
  #listOf(start: number, end: number, patches: readonly Patch[]): string {
    const length = end - start + 2;
    if (patches.length > 0 || length > LIST.length) return `[${this.#textOf(start, end, patches)}]`;
    // Brackets around the bytes cost less than around their text, all of which would be copied for them.
    LIST[0] = OPEN_BRACKET;
    this.#bytes.copy(LIST, 1, start, end);
    LIST[length - 1] = CLOSE_BRACKET;
    return LIST.toString(this.#encoding, 0, length);
  }

  #textOf(start: number, end: number, patches: readonly Patch[]): string {
    const whole = this.#bytes.toString(this.#encoding, start, end);
    if (patches.length === 0) return whole;
    // Where every byte is a character, pieces are cut from the text instead of decoded one by one.
    const isAscii = whole.length === end - start;
    const piece = (from: number, to: number) =>
      isAscii ? whole.slice(from - start, to - start) : this.#bytes.toString(this.#encoding, from, to);
    let text = '';
    let from = start;
    for (const patch of patches) {
      if (!this.#keepsExact && patch.text === null) continue;
      text += piece(from, patch.start) + (patch.text ?? `"${piece(patch.start, patch.end)}"`);
      from = patch.end;
    }
    return text + piece(from, end);
  }

  #bad(start: number, end: number, detail: string): Part {
    const content = new UnprocessableError('undecodable', `bytes ${start} to ${end} of the body: ${detail}`);
    return new BodyPart(this.#bytes, start, end, content);
  }
}
