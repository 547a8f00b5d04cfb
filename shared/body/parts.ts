import { isAscii, isUtf8 } from 'node:buffer';
import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { beginsEnvelope, ENVELOPE_LIST, endsEnvelope } from './envelope.ts';
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

/** Its bytes are a view of the body, made each time they are asked for: it keeps the whole body, and copies nothing. */
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
  /** What is cut or read, as reports of bad parts call it; `the body` or `the record` where it is not said. */
  readonly name?: string;
}

/**
 * Bytes that may be looked at again after something that has no end: in every body, and beyond that in bodies. Each bad
 * line of an ordinary body is told from its neighbours then, and what a hostile one can cost is bounded.
 */
const FREE_SECOND_LOOKS = 32_000_000;
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
 * Cuts a body into its parts: the elements of an array, each of several objects or arrays that follow each other with
 * or without white space, commas or line ends between them, the elements of `records` in an envelope, which has no
 * other members than those of one. Parts come one by one, so that what was read counts whatever comes after it. A part
 * that cannot be read is reported and left behind:
 * - One whose brackets match ends where they do, so its neighbours are found.
 * - Where a quotation mark or bracket is missing, or one stands in place of another, reading goes on at the next line
 *   that starts an object. Only where there is none is the rest of the body lost with the part.
 * - An array or envelope that the body's end cuts off is reported too, after the parts in it that are whole; so is what
 *   follows the list of an envelope and cannot be read.
 */
export function splitBody(body: Uint8Array, options: SplitOptions): IterableIterator<Part, undefined> {
  return new Splitter(body, options, options.name ?? 'the body');
}

/**
 * The part that `bytes` are, which were kept of a body. Whatever they hold, they are one: nothing in them is looked at
 * as framing again.
 */
export function partOf(bytes: Uint8Array, options: SplitOptions): Part {
  return new Splitter(bytes, options, options.name ?? 'the record').whole();
}

/** No generator, though it would read better: handing a part on would cost as much as reading ten bytes of it. */
class Splitter implements IterableIterator<Part, undefined> {
  readonly #bytes: Buffer;
  readonly #name: string;
  readonly #scanner: JsonScanner;
  readonly #parse: (text: string) => JsonValue;
  readonly #keepsExact: boolean;
  readonly #maxLevels: number;
  readonly #maxSecondLooks: number;
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

  constructor(body: Uint8Array, options: SplitOptions, name: string) {
    this.#name = name;
    this.#bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.#scanner = new JsonScanner(this.#bytes, options.nestingLevels);
    this.#parse = options.parse ?? JSON.parse;
    this.#keepsExact = options.parse === undefined;
    this.#maxLevels = options.nestingLevels;
    this.#maxSecondLooks = Math.max(FREE_SECOND_LOOKS, MAX_SECOND_LOOKS * body.byteLength);
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

  whole(): Part {
    const bytes = this.#bytes;
    const first = bytes[0];
    const isComposite = first === OPEN_BRACE || first === OPEN_BRACKET;
    const end = isComposite ? this.#scanner.endOfComposite(0) : this.#scanner.endOfScalar(0, []);
    return end === bytes.length ? this.#read(0, end) : this.#bad(0, bytes.length, 'it is not JSON');
  }

  #nextPart(): Part | undefined {
    for (;;) {
      this.#skipBetween();
      const start = this.#at;
      const first = this.#bytes[start];
      if (first === undefined) return this.#endOfBody(start);
      let part: Part | undefined;
      if (this.#place !== 'top' && first === CLOSE_BRACKET) part = this.#leaveList();
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
    return this.#bad(start, start, `${this.#name} ends before its list of records does`);
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

  /** What follows the list of an envelope, where it cannot be read. */
  #leaveList(): Part | undefined {
    const isEnvelope = this.#place === 'envelope';
    const start = ++this.#at;
    this.#place = 'top';
    if (!isEnvelope) return undefined;
    const end = this.#scanner.endOfComposite(start, 1);
    if (this.#endsEnvelope(start, end) === undefined) {
      return this.#resume(
        start,
        end < 0 ? this.#bytes.length : end,
        'it follows the list of an envelope and is not JSON',
      );
    }
    this.#at = end;
    return undefined;
  }

  /**
   * Whether the object at `start` that has a list at `list` is an envelope. What follows the list has its say only
   * where it can be read.
   */
  #isEnvelope(start: number, list: number): boolean {
    const scanner = this.#scanner;
    if (scanner.isDoubtful || !beginsEnvelope(this.#textOf(start, list, scanner.patches))) return false;
    if (this.#secondLooks > this.#maxSecondLooks) return true;
    const listEnd = scanner.endOfComposite(list);
    const end = listEnd < 0 ? -1 : scanner.endOfComposite(listEnd, 1);
    if (end < 0) this.#secondLooks += this.#bytes.length - list;
    return this.#endsEnvelope(listEnd, end) ?? true;
  }

  /** Whether what stands between the end of a list and `end`, which was scanned last, is of an envelope. */
  #endsEnvelope(listEnd: number, end: number): boolean | undefined {
    if (end < 0 || this.#scanner.isDoubtful) return undefined;
    return endsEnvelope(this.#textOf(listEnd, end, this.#scanner.patches));
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
   * The elements of a list from `start` on, as many as nothing is wrong with: the engine parses a short list faster
   * than its elements. None where they are no list to it; they are then read one by one, to tell which of them is bad.
   */
  #readRun(start: number): readonly Part[] {
    const { starts, ends, patches } = this.#runBounds(start);
    const end = ends.at(-1) ?? start;
    this.#singlyUntil = Math.max(end, start + 1, this.#singlyUntil);
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
      if (end < 0 || scanner.isDoubtful) {
        this.#singlyUntil = at + 1;
        break;
      }
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
    let end = scanner.endOfComposite(start, 0, this.#place === 'top' ? ENVELOPE_LIST : undefined);
    const { listStart } = scanner;
    if (listStart >= 0) {
      if (this.#isEnvelope(start, listStart)) {
        this.#enterList('envelope', listStart);
        return undefined;
      }
      end = scanner.endOfComposite(start);
    }
    if (end < 0) return this.#resume(start, this.#bytes.length, 'its end is missing');
    if (scanner.mismatched) {
      // The list's own end has closed what should have been closed before.
      const isEndOfList = this.#place !== 'top' && this.#bytes[end - 1] === CLOSE_BRACKET;
      const limit = isEndOfList && this.#bytes[start] === OPEN_BRACE ? end - 1 : end;
      return this.#resume(start, limit, 'a bracket or brace in it is missing');
    }
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
    if (this.#secondLooks <= this.#maxSecondLooks) {
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
    if (this.#scanner.tooHeavy) return this.#bad(start, end, 'it has too many values');
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
    const content = new UnprocessableError('undecodable', `bytes ${start} to ${end} of ${this.#name}: ${detail}`);
    return new BodyPart(this.#bytes, start, end, content);
  }
}
