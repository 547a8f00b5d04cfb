import type { Type, types } from 'avsc';
import type { JsonValue } from '../change/json.ts';
import { readIndex, readLong, skip, type Walk } from './recordWalk.ts';

/**
 * Decodes one Avro value into JSON without losing anything: a long beyond 2^53 becomes its digits, raw bytes become base64,
 * a float that JSON lacks becomes its name, a member called `__proto__` stays a member. For the few records that need it.
 * Call it only for what `walkOf` has walked over.
 */
export function readExactly(type: Type, walk: Walk): JsonValue {
  switch (type.typeName) {
    case 'null':
      return null;
    case 'boolean':
      skip(walk, 1);
      return walk.bytes[walk.position - 1] === 1;
    case 'int':
    case 'long':
      return exactLong(walk);
    case 'float':
      skip(walk, 4);
      return jsonNumber(walk.bytes.readFloatLE(walk.position - 4));
    case 'double':
      skip(walk, 8);
      return jsonNumber(walk.bytes.readDoubleLE(walk.position - 8));
    case 'string':
      return bytesAhead(walk, readLong(walk)).toString('utf8');
    case 'bytes':
      return bytesAhead(walk, readLong(walk)).toString('base64');
    case 'fixed':
      return bytesAhead(walk, (type as types.FixedType).size).toString('base64');
    case 'enum': {
      const { symbols } = type as types.EnumType;
      return symbols[readIndex(walk, symbols.length)] ?? null;
    }
    case 'array':
      return [...items(walk, () => readExactly((type as types.ArrayType).itemsType, walk))];
    case 'map': {
      const { valuesType } = type as types.MapType;
      const member = (): [string, JsonValue] => [
        bytesAhead(walk, readLong(walk)).toString('utf8'),
        readExactly(valuesType, walk),
      ];
      return Object.fromEntries(items(walk, member));
    }
    case 'record':
    case 'error':
      return Object.fromEntries(
        (type as types.RecordType).fields.map((field): [string, JsonValue] => [
          field.name,
          readExactly(field.type, walk),
        ]),
      );
    case 'union:unwrapped':
    case 'union:wrapped':
      return readUnion(type as types.UnwrappedUnionType | types.WrappedUnionType, walk);
    default:
      throw new RangeError(`the type ${type.typeName} is not known`);
  }
}

/** Where the library would wrap a branch in an object with the branch's name, this does so too. */
function readUnion(type: types.UnwrappedUnionType | types.WrappedUnionType, walk: Walk): JsonValue {
  const branch = type.types[readIndex(walk, type.types.length)];
  if (branch === undefined) throw new RangeError('an index is out of range');
  const value = readExactly(branch, walk);
  if (type.typeName === 'union:unwrapped' || value === null) return value;
  return Object.fromEntries([[branch.branchName ?? branch.typeName, value]]);
}

function* items<Item>(walk: Walk, read: () => Item): Generator<Item> {
  for (let count = readLong(walk); count !== 0; count = readLong(walk)) {
    if (count < 0) readLong(walk);
    for (let left = Math.abs(count); left > 0; left--) yield read();
  }
}

function exactLong(walk: Walk): number | string {
  const start = walk.position;
  const rounded = readLong(walk);
  if (Number.isSafeInteger(rounded)) return rounded;
  let zigzag = 0n;
  for (let position = walk.position - 1; position >= start; position--) {
    zigzag = (zigzag << 7n) | BigInt((walk.bytes[position] ?? 0) & 0x7f);
  }
  return String(BigInt.asIntN(64, (zigzag >> 1n) ^ -(zigzag & 1n)));
}

function jsonNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function bytesAhead(walk: Walk, count: number): Buffer {
  const start = walk.position;
  skip(walk, count);
  return walk.bytes.subarray(start, walk.position);
}
