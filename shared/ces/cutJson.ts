import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { unescapeInPlace } from './escapes.ts';
import { MAX_VALUE_LEVELS, skipBlank } from './exactParse.ts';
import { decodeGeneralised } from './generalisedUtf8.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const FIRST_PLAIN = 0x20;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** What a brace has and a bracket has not. */
const BRACE_BIT = 0x20;

/** Longer texts are cut out. */
const LONG_TEXT_BYTES = 1_024;
/** Around a value there are the image, the row and the record. */
const MAX_LEVELS = MAX_VALUE_LEVELS + 3;

/**
 * JSON of a large event without its long texts. An event of 64 MiB is nearly all text: the values, which are all that
 * is wanted in the end, inside of an image, which is a text in JSON itself, inside of the record. Parsed as it comes it is
 * in memory several times, once for each text that holds the others. So the long texts are first cut out of the bytes;
 * what is left, the skeleton, is short and parsed as usual; and each text is decoded from its own bytes when it is wanted.
 *
 * Whatever is valid as a whole is valid in its parts, and the other way round: a quote outside of a text begins one in any
 * JSON. In the skeleton a text is replaced by a mark that is longer than any text that was left there.
 */
export class CutJson {
  readonly skeleton: string;
  readonly #texts: readonly Uint8Array[];

  /** Uses `bytes` up: escapes are resolved in place. Throws UnprocessableError (`undecodable`) that says what `what` is. */
  constructor(bytes: Uint8Array, what: string) {
    const kept: Uint8Array[] = [];
    const texts: Uint8Array[] = [];
    let keptFrom = 0;
    for (const { start, end } of longTextsIn(bytes, what)) {
      const text = unescapeInPlace(bytes.subarray(start, end));
      if (text === undefined) throw new UnprocessableError('undecodable', `${what} has an escape that is not of JSON`);
      kept.push(bytes.subarray(keptFrom, start), Buffer.from(markOf(texts.length)));
      texts.push(text);
      keptFrom = end;
    }
    kept.push(bytes.subarray(keptFrom));
    this.skeleton = decodeGeneralised(Buffer.concat(kept));
    this.#texts = texts;
  }

  /** The bytes of the text that `value`, a value of the parsed skeleton, stands for, or undefined where it is itself. */
  bytesOf(value: JsonValue | undefined): Uint8Array | undefined {
    if (typeof value !== 'string' || value.length <= LONG_TEXT_BYTES) return undefined;
    return this.#texts[Number(value.slice(LONG_TEXT_BYTES))];
  }

  /** Puts the texts back into `value`, an object of the parsed skeleton. Throws UnprocessableError (`undecodable`). */
  mend(value: object): void {
    for (const name of Object.keys(value)) {
      const member: JsonValue = Reflect.get(value, name);
      const bytes = this.bytesOf(member);
      if (bytes !== undefined) Reflect.set(value, name, decodeGeneralised(bytes));
      else if (typeof member === 'object' && member !== null) this.mend(member);
    }
  }
}

function markOf(index: number): string {
  return `${'-'.repeat(LONG_TEXT_BYTES)}${index}`;
}

/** Where the long texts are that are not names of members, without their quotes. */
function* longTextsIn(bytes: Uint8Array, what: string): Generator<{ readonly start: number; readonly end: number }> {
  let levels = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if ((byte | BRACE_BIT) === OPEN_BRACE && ++levels > MAX_LEVELS) {
      // Recursion over what was parsed would end the process.
      throw new UnprocessableError('undecodable', `${what} nests deeper than ${MAX_LEVELS} levels`);
    }
    if ((byte | BRACE_BIT) === CLOSE_BRACE) levels--;
    if (byte !== QUOTE) continue;
    const start = at + 1;
    at = endOfText(bytes, start, what);
    if (at - start > LONG_TEXT_BYTES && !isName(bytes, at + 1)) yield { start, end: at };
  }
}

function endOfText(bytes: Uint8Array, start: number, what: string): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
    else if (byte < FIRST_PLAIN) break;
  }
  throw new UnprocessableError('undecodable', `${what} is not JSON that can be read`);
}

function isName(bytes: Uint8Array, end: number): boolean {
  return bytes[skipBlank(bytes, end)] === COLON;
}
