import { createHash } from 'node:crypto';
import { isDecimal, sameDecimal } from '../../shared/change/exact.ts';
import { canonicalJson, type JsonValue } from '../../shared/change/json.ts';
import { isPointer } from '../../shared/change/largeValue.ts';

/**
 * How two values differ. `precision`: one is the other with digits added or cut off, as where a decimal or a time went
 * through something that keeps fewer. `absent`: the row does not have the column at all.
 */
export type Difference = 'value' | 'precision' | 'absent';

/**
 * Compares a value of the extract with the row's. `typed`: the extract's value as the stream would have brought it, where a
 * type tells; otherwise a text means whatever it would mean as a value of the row's kind. Undefined where they are equal.
 */
export function differenceOf(
  sent: JsonValue,
  typed: JsonValue | undefined,
  actual: JsonValue | undefined,
): Difference | undefined {
  if (actual === undefined) return 'absent';
  // Or an object that looks so, which the row holds as it was sent.
  if (isPointer(actual) && isContentOf(actual, sent)) return undefined;
  const expected = typed ?? meantAs(sent, actual);
  if (expected === actual || canonicalJson(expected) === canonicalJson(actual)) return undefined;
  return differInPrecision(expected, actual) ? 'precision' : 'value';
}

function meantAs(sent: JsonValue, actual: JsonValue): JsonValue {
  if (typeof sent !== 'string') return sent;
  if (typeof actual === 'number' && isDecimal(sent)) return sameDecimal(sent, String(actual)) ? actual : sent;
  if (typeof actual === 'boolean') {
    const word = sent.toLowerCase();
    if (word === 'true' || word === '1' || word === 't') return true;
    if (word === 'false' || word === '0' || word === 'f') return false;
  }
  if (typeof actual === 'object' && actual !== null) {
    try {
      return JSON.parse(sent);
    } catch {
      return sent;
    }
  }
  return sent;
}

function differInPrecision(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === 'object' || typeof b === 'object' || typeof a === 'boolean' || typeof b === 'boolean') return false;
  const [shorter, longer] = [String(a), String(b)].sort((x, y) => x.length - y.length) as [string, string];
  if (isDecimal(shorter) && isDecimal(longer)) return sameDecimal(shorter, longer) || isRoundingOf(shorter, longer);
  return isTimeCutOff(shorter, longer);
}

/** Whether `shorter` is `longer` rounded, or cut, to as many decimals as it has. */
function isRoundingOf(shorter: string, longer: string): boolean {
  const decimals = shorter.split('.')[1]?.length ?? 0;
  const [integer = '', fraction = ''] = longer.split('.');
  if (fraction.length <= decimals) return false;
  const cut = decimals === 0 ? integer : `${integer}.${fraction.slice(0, decimals)}`;
  if (sameDecimal(cut, shorter)) return true;
  const digits = BigInt(cut.replace('.', ''));
  const up = (cut.startsWith('-') ? digits - 1n : digits + 1n).toString();
  return up === shorter.replace('.', '').replace(/^(-?)0+(?=\d)/, '$1');
}

const TIME_PREFIX = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}|^\d{2}:\d{2}/;

/** A time with fewer digits, `16:25:00.883` of `16:25:00.8833333`; with zeros, or one less, in place of the rest. */
function isTimeCutOff(shorter: string, longer: string): boolean {
  if (!TIME_PREFIX.test(shorter) || !TIME_PREFIX.test(longer)) return false;
  const plain = (text: string) => text.replace('T', ' ').replace(/Z$/, '');
  const [short, long] = [plain(shorter), plain(longer)];
  const kept = short.replace(/0+$/, '').replace(/\.$/, '');
  return long.startsWith(kept) && /^[\d:.]*$/.test(long.slice(kept.length)) && kept.length >= 'hh:mm'.length;
}

function isContentOf({ sha256, encoding }: { sha256: string; encoding?: 'utf-16le' }, sent: JsonValue): boolean {
  if (typeof sent !== 'string') return false;
  const content = Buffer.from(sent, encoding ?? 'utf8');
  return createHash('sha256').update(content).digest('hex') === sha256;
}
