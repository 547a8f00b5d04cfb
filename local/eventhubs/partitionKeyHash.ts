/**
 * Which partition a key belongs to. The service hashes the key's UTF-8 bytes with Bob Jenkins' public-domain lookup3 ("hashlittle2",
 * both seeds zero), folds the two results into a signed 16-bit number and takes the remainder by the number of partitions. The
 * client's buffered producer does the same, so that a key lands in one partition whoever computes it.
 */

const INITIAL = 0xdeadbeef;
const BLOCK_BYTES = 12;

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Little-endian 32-bit word at `position`; bytes beyond the end count as zero. */
function word(bytes: Buffer, position: number): number {
  let value = 0;
  for (let index = 3; index >= 0; index -= 1) {
    value = (value << 8) | (bytes[position + index] ?? 0);
  }
  return value;
}

function lookup3(bytes: Buffer): { b: number; c: number } {
  let a = (INITIAL + bytes.length) | 0;
  let b = a;
  let c = a;
  let position = 0;
  for (; bytes.length - position > BLOCK_BYTES; position += BLOCK_BYTES) {
    a = (a + word(bytes, position)) | 0;
    b = (b + word(bytes, position + 4)) | 0;
    c = (c + word(bytes, position + 8)) | 0;
    a = ((a - c) ^ rotate(c, 4)) | 0;
    c = (c + b) | 0;
    b = ((b - a) ^ rotate(a, 6)) | 0;
    a = (a + c) | 0;
    c = ((c - b) ^ rotate(b, 8)) | 0;
    b = (b + a) | 0;
    a = ((a - c) ^ rotate(c, 16)) | 0;
    c = (c + b) | 0;
    b = ((b - a) ^ rotate(a, 19)) | 0;
    a = (a + c) | 0;
    c = ((c - b) ^ rotate(b, 4)) | 0;
    b = (b + a) | 0;
  }
  if (position === bytes.length) {
    return { b, c };
  }
  a = (a + word(bytes, position)) | 0;
  b = (b + word(bytes, position + 4)) | 0;
  c = (c + word(bytes, position + 8)) | 0;
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  c = ((c ^ b) - rotate(b, 24)) | 0;
  return { b, c };
}

/** The index of the partition, below `partitionCount`, that events with this key go to. */
export function partitionOfKey(partitionKey: string, partitionCount: number): number {
  const { b, c } = lookup3(Buffer.from(partitionKey, 'utf8'));
  const signed16 = ((c ^ b) << 16) >> 16;
  return Math.abs(signed16 % partitionCount);
}
