import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { unescapeInPlace } from './escapes.ts';
import { isObject } from './exactParse.ts';

/*
 * A source that cuts the bytes of a large event cuts characters too, and a JSON envelope around such a fragment is
 * not valid UTF-8: its `data` begins or ends with part of a character, and the rest is in the neighbour. Nothing is lost
 * as long as the bytes are taken as they are. So the envelope is parsed as Latin-1, in which each byte is one character
 * (JSON's own signs are ASCII either way), the source text of each member is taken from the parser, and its escapes are
 * resolved into bytes.
 */

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
  const bytes = unescapeInPlace(Buffer.from(source.slice(1, -1), 'latin1'));
  if (bytes === undefined) throw new SyntaxError('no escape of JSON');
  return name === 'data' ? bytes : decoder.decode(bytes);
}
