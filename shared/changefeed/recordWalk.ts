import type { Type, types } from 'avsc';

/**
 * Walks over one Avro value with every bound checked and builds nothing. The decoder that builds objects trusts counts
 * and lengths in the bytes: one flipped bit could make it loop for hours. What was walked here first cannot. The walk
 * costs a small part of the decoding and tells on the way where a record ends and whether it holds something that the
 * decoder would not hand over unchanged.
 */
export interface Walk {
  readonly bytes: Buffer;
  position: number;
  /** A long beyond 2^53, a number that JSON lacks, raw bytes, or a map with a member called `__proto__`. */
  isDelicate: boolean;
}

export type Step = (walk: Walk) => void;

const MAX_VARINT_BYTES = 10;
const UNSAFE_NAME = Buffer.from('__proto__');

/** Compiles the walk over values of `type`; what it throws is a RangeError. */
export function walkOf(type: Type): Step {
  return compile(type, new Map());
}

function compile(type: Type, known: Map<Type, Step>): Step {
  const made = known.get(type);
  if (made !== undefined) return made;
  // A type may contain itself: until it is compiled, whoever refers to it calls it through the map.
  known.set(type, (walk) => known.get(type)?.(walk));
  const step = stepOf(type, (inner) => compile(inner, known));
  known.set(type, step);
  return step;
}

function stepOf(type: Type, compiled: (inner: Type) => Step): Step {
  switch (type.typeName) {
    case 'null':
      return () => undefined;
    case 'boolean':
      return (walk) => skip(walk, 1);
    case 'int':
    case 'long':
      return (walk) => {
        readLong(walk);
      };
    case 'float':
      return (walk) => {
        skip(walk, 4);
        walk.isDelicate = true;
      };
    case 'double':
      return (walk) => {
        skip(walk, 8);
        walk.isDelicate = true;
      };
    case 'string':
      return skipText;
    case 'bytes':
      return (walk) => {
        skipText(walk);
        walk.isDelicate = true;
      };
    case 'fixed': {
      const { size } = type as types.FixedType;
      return (walk) => {
        skip(walk, size);
        walk.isDelicate = true;
      };
    }
    case 'enum': {
      const { length } = (type as types.EnumType).symbols;
      return (walk) => {
        readIndex(walk, length);
      };
    }
    case 'array':
      return runsOf(compiled((type as types.ArrayType).itemsType));
    case 'map': {
      const value = compiled((type as types.MapType).valuesType);
      return runsOf((walk) => {
        skipName(walk);
        value(walk);
      });
    }
    case 'record':
    case 'error': {
      const fields = (type as types.RecordType).fields.map((field) => compiled(field.type));
      return (walk) => {
        for (let index = 0; index < fields.length; index++) fields[index]?.(walk);
      };
    }
    case 'union:unwrapped':
    case 'union:wrapped': {
      const branches = (type as types.UnwrappedUnionType | types.WrappedUnionType).types.map(compiled);
      return (walk) => branches[readIndex(walk, branches.length)]?.(walk);
    }
    default:
      throw new RangeError(`the type ${type.typeName} is not known`);
  }
}

/** Arrays and maps: runs of items, each run after its count (negative when its size follows), until a count of 0. */
function runsOf(item: Step): Step {
  return (walk) => {
    for (let count = readLong(walk); count !== 0; count = readLong(walk)) {
      if (count < 0) readLong(walk);
      const items = Math.abs(count);
      if (items > walk.bytes.length - walk.position) throw new RangeError('a list has more items than there are bytes');
      for (let left = items; left > 0; left--) item(walk);
    }
  };
}

/** Reads a long; one that a double cannot hold comes out rounded, and marks the walk as delicate. */
export function readLong(walk: Walk): number {
  const first = walk.bytes[walk.position];
  if (first === undefined) throw truncated();
  walk.position++;
  return first < 0x80 ? (first >>> 1) ^ -(first & 1) : readLongFrom(walk, first);
}

function readLongFrom(walk: Walk, first: number): number {
  const { bytes } = walk;
  let zigzag = first & 0x7f;
  let scale = 128;
  for (let count = 1; count < MAX_VARINT_BYTES; count++) {
    const byte = bytes[walk.position++];
    if (byte === undefined) throw truncated();
    zigzag += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (zigzag > Number.MAX_SAFE_INTEGER) walk.isDelicate = true;
      return zigzag % 2 === 1 ? -(zigzag + 1) / 2 : zigzag / 2;
    }
    scale *= 128;
  }
  throw new RangeError('a number does not end');
}

/** Reads the index of an enum's symbol or a union's branch. */
export function readIndex(walk: Walk, length: number): number {
  const index = readLong(walk);
  if (index < 0 || index >= length) throw new RangeError('an index is out of range');
  return index;
}

export function skip(walk: Walk, count: number): void {
  walk.position += count;
  if (!(count >= 0 && walk.position <= walk.bytes.length)) throw truncated();
}

function skipText(walk: Walk): void {
  skip(walk, readLong(walk));
}

function skipName(walk: Walk): void {
  const length = readLong(walk);
  const start = walk.position;
  skip(walk, length);
  if (length === UNSAFE_NAME.length && UNSAFE_NAME.equals(walk.bytes.subarray(start, walk.position))) {
    walk.isDelicate = true;
  }
}

function truncated(): RangeError {
  return new RangeError('a value reaches beyond its block');
}
