import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { isObject } from './exactParse.ts';
import { encodeHalf } from './generalisedUtf8.ts';

/*
 * A source that cuts the bytes of a large event cuts characters too, and a JSON envelope around such a fragment is
 * not valid UTF-8: its `data` begins or ends with part of a character, and the rest is in the neighbour. Nothing is lost
 * as long as the bytes are taken as they are. So the envelope is parsed as Latin-1, in which each byte is one character
 * (JSON's own signs are ASCII either way), the source text of each member is taken from the parser, and its escapes are
 * resolved into bytes.
 */

const SHORT_ESCAPES = new Map([
  ['b', 0x08],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
]);

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The top members of a JSON object whose bytes are not valid UTF-8: `data` as bytes, texts as text, no objects. Throws
 * UnprocessableError (`undecodable`) when it is no JSON either, or when more than `data` is broken.
 */
export function parseJsonWithBrokenText(bytes: Uint8Array): { [name: string]: JsonValue | Uint8Array } {
  const sources = new Map<object, Map<string, string>>();
  function keep(this: object, name: string, value: JsonValue, context: { readonly source?: string }): JsonValue {
    if (typeof value !== 'string' || context.source === undefined) return value;
    const texts = sources.get(this) ?? new Map<string, string>();
    sources.set(this, texts.set(name, context.source));
    return value;
  }
  try {
    const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const envelope = JSON.parse(latin1, keep);
    if (!isObject(envelope)) throw new SyntaxError('no object');
    const texts = sources.get(envelope) ?? new Map<string, string>();
    const members = Object.entries(envelope).map(([name, value]) => [name, member(name, value, texts.get(name))]);
    return Object.fromEntries(members);
  } catch (cause) {
    throw new UnprocessableError('undecodable', 'the message is not valid UTF-8, and not because of its data alone', {
      cause: cause instanceof RangeError ? cause : undefined,
    });
  }
}

function member(name: string, value: JsonValue, source: string | undefined): JsonValue | Uint8Array {
  if (source === undefined) return typeof value === 'object' ? null : value;
  const bytes = unescapeToBytes(source.slice(1, -1));
  return name === 'data' ? bytes : decoder.decode(bytes);
}

/** The bytes that a JSON string writes, given one character per byte: raw bytes as they are, escapes as UTF-8. */
function unescapeToBytes(source: string): Uint8Array {
  const out = Buffer.alloc(source.length);
  let length = 0;
  for (let at = 0; at < source.length; at++) {
    const character = source.charCodeAt(at);
    if (character !== 0x5c) {
      out[length++] = character;
      continue;
    }
    const sign = source.charAt(++at);
    if (sign !== 'u') {
      out[length++] = SHORT_ESCAPES.get(sign) ?? sign.charCodeAt(0);
      continue;
    }
    const unit = Number.parseInt(source.slice(at + 1, at + 5), 16);
    at += 4;
    const low = source.startsWith('\\u', at + 1) ? Number.parseInt(source.slice(at + 3, at + 7), 16) : 0;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000;
    if (isPair) {
      length += out.write(String.fromCharCode(unit, low), length, 'utf8');
      at += 6;
    } else if (unit >= 0x800) {
      out.set(encodeHalf(unit), length);
      length += 3;
    } else {
      length += out.write(String.fromCharCode(unit), length, 'utf8');
    }
  }
  return out.subarray(0, length);
}
