import type { Json } from '../json.ts';

/** The order of types in ORDER BY, MIN and MAX: undefined, null, booleans, numbers, strings, arrays, objects. */
export function typeRank(value: Json | undefined): number {
  if (value === undefined) return 0;
  if (value === null) return 1;
  if (typeof value === 'boolean') return 2;
  if (typeof value === 'number') return 3;
  if (typeof value === 'string') return 4;
  return Array.isArray(value) ? 5 : 6;
}

/** Total order over scalars; arrays among themselves, and objects among themselves, are equal. */
export function compareForOrder(left: Json | undefined, right: Json | undefined): number {
  const rank = typeRank(left) - typeRank(right);
  return rank === 0 ? (compareScalars(left, right) ?? 0) : rank;
}

/** Order between two scalars of one type; `undefined` where `<` and `>` have no answer. */
export function compareScalars(left: Json | undefined, right: Json | undefined): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return left === null && right === null ? 0 : undefined;
}

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** By code point, as UTF-8 bytes compare, where JavaScript's `<` goes by UTF-16 unit. */
function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1;
  }
  return left.length - right.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE;
}
