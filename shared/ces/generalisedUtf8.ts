import { isUtf8 } from 'node:buffer';
import { UnprocessableError } from '../ingest/reasons.ts';

/*
 * A split event is cut anywhere: inside a UTF-8 character where the source cuts bytes, between the halves of a surrogate
 * pair where it cuts UTF-16. Both kinds of piece fit into one form: the UTF-8 bytes as they are, and half a surrogate
 * pair as the three bytes that UTF-8 would give it if it were a character. Such bytes join by plain concatenation.
 * Decoding the whole puts halves that meet together again, and keeps a half that has no partner, because a column of
 * SQL Server may really hold one.
 */

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of a text, half surrogate pairs included. */
export function encodeGeneralised(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const { 0: half, index } of text.matchAll(/\p{Surrogate}/gu)) {
    parts.push(Buffer.from(text.slice(start, index), 'utf8'), encodeHalf(half.charCodeAt(0)));
    start = index + 1;
  }
  parts.push(Buffer.from(text.slice(start), 'utf8'));
  return Buffer.concat(parts);
}

/** The text of bytes that `encodeGeneralised` or a valid UTF-8 encoder made; otherwise UnprocessableError (`undecodable`). */
export function decodeGeneralised(bytes: Uint8Array): string {
  try {
    if (isUtf8(bytes)) return decoder.decode(bytes);
    const parts: string[] = [];
    let start = 0;
    for (let at = nextHalf(bytes, 0); at !== -1; at = nextHalf(bytes, start)) {
      parts.push(decoder.decode(bytes.subarray(start, at)), decodeHalf(bytes, at));
      start = at + 3;
    }
    parts.push(decoder.decode(bytes.subarray(start)));
    return parts.join('');
  } catch (cause) {
    throw new UnprocessableError('undecodable', 'the text is not valid UTF-8', { cause });
  }
}

/** The three bytes of half a surrogate pair, or of any other code unit from U+0800 on. */
export function encodeHalf(unit: number): Uint8Array {
  return Uint8Array.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
}

function decodeHalf(bytes: Uint8Array, at: number): string {
  const [, second = 0, third = 0] = bytes.subarray(at, at + 3);
  return String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
}

/** Where the next half of a surrogate pair begins: ED, then A0 or more, which no valid UTF-8 has. */
function nextHalf(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xed, from); at !== -1; at = bytes.indexOf(0xed, at + 1)) {
    if ((bytes[at + 1] ?? 0) >>> 5 === 0b101 && ((bytes[at + 2] ?? 0) & 0xc0) === 0x80) return at;
  }
  return -1;
}
