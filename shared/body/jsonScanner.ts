import { exactNumber } from '../change/exact.ts';
import {
  BACKSLASH,
  BLANK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  isBlank,
  LINE_FEED,
  MINUS,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  POINT,
  QUOTE,
  ZERO,
} from './jsonBytes.ts';

/** What takes the place of the bytes from `start` to `end` when the text is parsed. */
export interface Patch {
  readonly start: number;
  readonly end: number;
  /** Null for the bytes themselves, in quotation marks. */
  readonly text: string | null;
}

/** A double holds every number of fewer characters. */
const RISKY_LENGTH = 16;
/**
 * A double prints no more digits than 17, and then zeros: a whole number of more that ends in another digit is none.
 */
const LOST_DIGITS = 18;
/**
 * Places to patch in one value. Beyond it nothing sane was sent, and remembering them would cost more than the body.
 */
const MAX_PATCHES = 250_000;
/**
 * What one value may weigh: a text or number, names included, weighs one, an object or array as much as several of
 * them, for that is what they take in memory, however few bytes they have. Far more than any record; about 500 MB when
 * parsed.
 */
const MAX_WEIGHT = 12_000_000;
const COMPOSITE_WEIGHT = 4;
/**
 * The lightest that weighs more is a list of empty objects, with three bytes for each. Nothing smaller has to be
 * weighed.
 */
const MIN_HEAVY_BYTES = (3 * MAX_WEIGHT) / COMPOSITE_WEIGHT;
/** From an opening bracket or brace to the one that closes it. */
const OPEN_TO_CLOSE = 2;
/** A number as JSON writes it. Patching anything else would make good JSON of bad. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const ESCAPES = Array.from({ length: BLANK }, (_, byte) => `\\u${byte.toString(16).padStart(4, '0')}`);
const LETTER_E = 0x65;
const TO_LOWER_CASE = 0x20;

/** Outside texts: what matters about a byte. */
const NOTHING = 0;
const QUOTES = 1;
const OPENS = 2;
const CLOSES = 3;
const DIGIT = 4;
const OUTSIDE = new Uint8Array(256);
OUTSIDE[QUOTE] = QUOTES;
for (const byte of [OPEN_BRACKET, OPEN_BRACE]) OUTSIDE[byte] = OPENS;
for (const byte of [CLOSE_BRACKET, CLOSE_BRACE]) OUTSIDE[byte] = CLOSES;
for (let byte = ZERO; byte <= NINE; byte++) OUTSIDE[byte] = DIGIT;

/** Inside texts: whether a byte is more than a piece of text. */
const INSIDE = new Uint8Array(256).fill(1, 0, BLANK);
for (const byte of [QUOTE, BACKSLASH]) INSIDE[byte] = 1;

/** Inside numbers: whether a byte goes on with one. */
const NUMERIC = new Uint8Array(256).fill(1, ZERO, NINE + 1);
NUMERIC[POINT] = 1;

/**
 * Finds where a JSON value ends without parsing it, in one pass over its bytes, and notes on the way what `JSON.parse`
 * would get wrong: numbers that a double cannot hold, and control characters that some senders leave raw in texts.
 * Those places are patched in the text, and then the engine parses it, once. UTF-8 needs no decoding for this: no byte
 * of a longer character looks like punctuation.
 *
 * Every byte of every request goes through here, and most of them through three loops of one table look-up each. A read
 * past the last byte gives undefined, for which no table has an entry, and so ends each of them.
 */
export class JsonScanner {
  readonly #bytes: Buffer;
  readonly #maxLevels: number;
  /** What opened each level, as deep as values may nest. */
  readonly #opened: Uint8Array;
  /** What the last scan found to patch, in order. */
  patches: Patch[] = [];
  /** Whether the last value nests deeper than it may. */
  tooDeep = false;
  /** Whether the last value has more places to patch than can be kept. */
  tooOdd = false;
  /** Whether the last value has more values in it than can be parsed. */
  tooHeavy = false;
  /** Whether something in the last value was opened by a bracket and closed by a brace, or the other way round. */
  mismatched = false;
  /** Whether a text in the last value holds a raw line break: legal nowhere, and a sign of a missing quotation mark. */
  brokenLine = false;
  /**
   * Start of the array that is the member of the name asked for, at the top level of the last object; -1 without one.
   */
  listStart = -1;

  constructor(bytes: Buffer, maxLevels: number) {
    this.#bytes = bytes;
    this.#maxLevels = maxLevels;
    this.#opened = new Uint8Array(maxLevels);
  }

  /** Whether something about the last value keeps it from being parsed, or makes its end uncertain. */
  get isDoubtful(): boolean {
    return this.tooDeep || this.tooOdd || this.tooHeavy || this.mismatched || this.brokenLine;
  }

  /**
   * The end, exclusive, of the object or array that is open at `start` with `depth` levels around it; -1 when the bytes
   * end first. What is around it is an object. Brackets and braces count alike, so that one in place of the other moves
   * no end. Stops at an array that is the member `list` of the outermost object, and leaves its start in `listStart`.
   */
  endOfComposite(start: number, depth = 0, list?: Uint8Array): number {
    this.#reset();
    const bytes = this.#bytes;
    const end = bytes.length;
    const maxLevels = this.#maxLevels;
    const opened = this.#opened;
    if (depth > 0) opened[0] = OPEN_BRACE;
    let level = depth;
    let at = start;
    while (at < end) {
      const byte = bytes[at] as number;
      const kind = OUTSIDE[byte];
      if (kind === QUOTES) {
        at++;
        // Four in a turn take a fifth less than one: most bytes of a body are in texts.
        while (
          INSIDE[bytes[at] as number] === 0 &&
          INSIDE[bytes[++at] as number] === 0 &&
          INSIDE[bytes[++at] as number] === 0 &&
          INSIDE[bytes[++at] as number] === 0
        )
          at++;
        if (bytes[at] !== QUOTE) {
          at = this.#endOfText(at);
          if (at < 0) return -1;
        }
        at++;
        // Mostly one colon or comma: not worth a turn of its own.
        if (OUTSIDE[bytes[at] as number] === NOTHING) at++;
      } else if (kind === DIGIT) {
        const first = at;
        do at++;
        while (NUMERIC[bytes[at] as number] === 1);
        if (at - first >= RISKY_LENGTH || ((bytes[at] as number) | TO_LOWER_CASE) === LETTER_E) {
          at = this.#endOfNumber(first, at);
        }
        if (OUTSIDE[bytes[at] as number] === NOTHING) at++;
      } else if (kind === NOTHING) {
        do at++;
        while (OUTSIDE[bytes[at] as number] === NOTHING);
      } else if (kind === OPENS) {
        if (list !== undefined && level === 1 && byte === OPEN_BRACKET && this.#isMember(list, at)) {
          this.listStart = at;
          this.tooHeavy = this.#isTooHeavy(start, at);
          return at;
        }
        if (level < maxLevels) opened[level] = byte;
        else this.tooDeep = true;
        level++;
        at++;
      } else {
        at++;
        if (--level < maxLevels && opened[level] !== byte - OPEN_TO_CLOSE) this.mismatched = true;
        if (level === 0) {
          this.tooHeavy = this.#isTooHeavy(start, at);
          return at;
        }
      }
    }
    return -1;
  }

  /** The end, exclusive, of a run of bytes outside any object: up to one of `stops` that stands in no text. */
  endOfScalar(start: number, stops: readonly number[]): number {
    this.#reset();
    const bytes = this.#bytes;
    // One quotation mark without a partner is enough to know that no later one has any.
    let hasTexts = true;
    let at = start;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      if (stops.includes(byte)) return at;
      if (byte === QUOTE && hasTexts) {
        const close = this.#endOfText(at + 1);
        hasTexts = close >= 0;
        if (!hasTexts) this.#reset();
        at = Math.max(close, at) + 1;
      } else if (OUTSIDE[byte] === DIGIT) {
        const first = at;
        while (NUMERIC[bytes[at] ?? 0] === 1) at++;
        at = this.#endOfNumber(first, at);
      } else at++;
    }
    return at;
  }

  #reset(): void {
    if (this.patches.length > 0) this.patches = [];
    this.tooDeep = false;
    this.tooOdd = false;
    this.tooHeavy = false;
    this.mismatched = false;
    this.brokenLine = false;
    this.listStart = -1;
  }

  #isTooHeavy(start: number, end: number): boolean {
    if (end - start < MIN_HEAVY_BYTES) return false;
    const bytes = this.#bytes;
    let weight = 0;
    for (let at = start; at < end; at++) {
      const kind = OUTSIDE[bytes[at] as number];
      if (kind === OPENS) weight += COMPOSITE_WEIGHT;
      else if (kind === QUOTES) {
        weight++;
        for (at++; at < end && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
      } else if (kind === DIGIT) {
        weight++;
        while (NUMERIC[bytes[at + 1] as number] === 1) at++;
      }
    }
    return weight > MAX_WEIGHT;
  }

  /** Where the text that `start` lies in has its closing quotation mark; -1 without one. */
  #endOfText(start: number): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (INSIDE[byte] === 0) continue;
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at++;
      else {
        if (byte === LINE_FEED) this.brokenLine = true;
        this.#patch(at, at + 1, ESCAPES[byte] ?? '');
      }
    }
    return -1;
  }

  /** The end of the number from `start` on, whose digits end at `digitsEnd`; patches it if a double cannot hold it. */
  #endOfNumber(start: number, digitsEnd: number): number {
    const bytes = this.#bytes;
    let at = digitsEnd;
    const hasExponent = ((bytes[at] ?? 0) | TO_LOWER_CASE) === LETTER_E;
    if (!hasExponent && at - start < RISKY_LENGTH) return at;
    if (hasExponent) {
      at++;
      if (bytes[at] === PLUS || bytes[at] === MINUS) at++;
      while (OUTSIDE[bytes[at] ?? 0] === DIGIT) at++;
    }
    this.#keepExact(bytes[start - 1] === MINUS ? start - 1 : start, at);
    return at;
  }

  #keepExact(start: number, end: number): void {
    if (!this.#isLongInteger(start, end)) {
      const text = this.#bytes.toString('latin1', start, end);
      if (exactNumber(text) !== text || !NUMBER.test(text)) return;
    }
    if (!this.#isName(end)) this.#patch(start, end, null);
  }

  /** Tells the usual case, a whole number that no double can hold, without making a text of it. */
  #isLongInteger(start: number, end: number): boolean {
    const bytes = this.#bytes;
    const first = bytes[start] === MINUS ? start + 1 : start;
    if (end - first < LOST_DIGITS || bytes[first] === ZERO || bytes[end - 1] === ZERO) return false;
    for (let at = first; at < end; at++) if (OUTSIDE[bytes[at] as number] !== DIGIT) return false;
    return true;
  }

  #patch(start: number, end: number, text: string | null): void {
    if (this.patches.length < MAX_PATCHES) this.patches.push({ start, end, text });
    else this.tooOdd = true;
  }

  /** Whether what ends at `end` stands where a member's name does. */
  #isName(end: number): boolean {
    let at = end;
    while (isBlank(this.#bytes[at])) at++;
    return this.#bytes[at] === COLON;
  }

  /** Whether the value at `start` is the member called `name`. */
  #isMember(name: Uint8Array, start: number): boolean {
    const bytes = this.#bytes;
    let at = start - 1;
    while (isBlank(bytes[at])) at--;
    if (bytes[at--] !== COLON) return false;
    while (isBlank(bytes[at])) at--;
    for (let from = name.length - 1; from >= 0; from--, at--) if (bytes[at] !== name[from]) return false;
    return true;
  }
}
