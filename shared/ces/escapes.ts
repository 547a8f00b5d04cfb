import { encodeHalf } from './generalisedUtf8.ts';

const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
/** The sign after the backslash -> the byte that both stand for. */
const SHORT_ESCAPES = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([sign, character]) => [sign.charCodeAt(0), character.charCodeAt(0)],
  ),
);
const HEX_DIGITS = 4;

/**
 * Resolves the escapes of JSON in the bytes between the quotes of a text. Escapes become UTF-8, half a surrogate pair as
 * in `generalisedUtf8.ts`; other bytes stay as they are. Works in place, as no escape is shorter than what it stands for,
 * and returns the part of `bytes` that is used; undefined where an escape is none of JSON's.
 */
export function unescapeInPlace(bytes: Uint8Array): Uint8Array | undefined {
  const first = bytes.indexOf(BACKSLASH);
  if (first === -1) return bytes;
  let length = first;
  for (let at = first; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== BACKSLASH) {
      bytes[length++] = byte;
      continue;
    }
    const sign = bytes[++at] ?? 0;
    if (sign !== LOWER_U) {
      const character = SHORT_ESCAPES.get(sign);
      if (character === undefined) return undefined;
      bytes[length++] = character;
      continue;
    }
    const unit = codeUnitAt(bytes, at + 1);
    if (unit === undefined) return undefined;
    at += HEX_DIGITS;
    const low = isHigh(unit) && bytes[at + 1] === BACKSLASH && bytes[at + 2] === LOWER_U && codeUnitAt(bytes, at + 3);
    if (typeof low === 'number' && isLow(low)) {
      length = writeUtf8(bytes, length, Buffer.from(String.fromCharCode(unit, low)));
      at += 2 + HEX_DIGITS;
    } else {
      length = writeUtf8(bytes, length, unit < 0x800 ? Buffer.from(String.fromCharCode(unit)) : encodeHalf(unit));
    }
  }
  return bytes.subarray(0, length);
}

function writeUtf8(bytes: Uint8Array, at: number, character: Uint8Array): number {
  bytes.set(character, at);
  return at + character.length;
}

function codeUnitAt(bytes: Uint8Array, start: number): number | undefined {
  let unit = 0;
  for (let at = start; at < start + HEX_DIGITS; at++) {
    const digit = Number.parseInt(String.fromCharCode(bytes[at] ?? 0), 16);
    if (Number.isNaN(digit)) return undefined;
    unit = unit * 16 + digit;
  }
  return unit;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
