import type { AvroCursor } from '../avro/cursor.ts';

/** Longer values are not worth remembering. */
const MAX_REMEMBERED_BYTES = 64;

/**
 * Reads values that stand after their length, and remembers the last one: a column's value is often that of the image
 * or the row before, and comparing bytes is much cheaper than making texts.
 */
export function remembering(read: (cursor: AvroCursor, length: number) => string): (cursor: AvroCursor) => string {
  const lastBytes = new Uint8Array(MAX_REMEMBERED_BYTES);
  let lastLength = -1;
  let last = '';
  return (cursor) => {
    const length = cursor.readNumber();
    if (length === lastLength && cursor.isAt(lastBytes, length)) {
      cursor.skip(length);
      return last;
    }
    const start = cursor.position;
    const value = read(cursor, length);
    if (length > MAX_REMEMBERED_BYTES) return value;
    for (let at = 0; at < length; at++) lastBytes[at] = cursor.bytes[start + at] ?? 0;
    lastLength = length;
    last = value;
    return value;
  };
}
