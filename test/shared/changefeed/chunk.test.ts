import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { avroBlock, avroHeader } from '../../../local/changefeed/avroFile.ts';
import { BlobAccount } from '../../../local/changefeed/blobAccount.ts';
import { feedSchema, feedType } from '../../../local/changefeed/feedSchema.ts';
import { type Block, Chunk, openFromStart } from '../../../shared/changefeed/chunk.ts';
import { MemorySource } from './memorySource.ts';

const PATH = 'log/00/2026/08/07/1000/00000.avro';
const account = new BlobAccount(new Date('2026-08-07T10:00:00Z'));
const HEADER = avroHeader(feedSchema(5));
const BLOCKS = [3, 1, 40, 2].map((count) =>
  avroBlock(
    feedType(5),
    Array.from({ length: count }, (_, index) => account.put('c', `b${index}`)),
  ),
);
const WHOLE = Buffer.concat([HEADER, ...BLOCKS]);
/** Where each block starts, and where the last ends. */
const STARTS = [0, 1, 2, 3, 4].map((count) => Buffer.concat([HEADER, ...BLOCKS.slice(0, count)]).length);

interface Summary {
  readonly blocks: readonly [start: number, count: number][];
  readonly error?: unknown;
}

async function read(bytes: Buffer, { from = 0, rangeBytes = 1 << 20, length = bytes.length } = {}): Promise<Summary> {
  const source = new MemorySource([[PATH, bytes]]);
  const stretch = { source, path: PATH, from, length, rangeBytes };
  const seen: [number, number][] = [];
  try {
    const blocks: AsyncIterable<Block> =
      from === 0 ? (await openFromStart(stretch)).blocks : (await Chunk.open(stretch)).blocks(stretch);
    for await (const { start, count } of blocks) seen.push([start, count]);
    return { blocks: seen };
  } catch (error) {
    assert.ok(error instanceof Error);
    const offset = 'offset' in error ? error.offset : undefined;
    return { blocks: seen, error: [error.name, offset] };
  }
}

const ALL: [number, number][] = [3, 1, 40, 2].map((count, index) => [STARTS[index] ?? 0, count]);

describe('a chunk', () => {
  test('is read block by block, whatever the size of the ranges', async () => {
    for (const rangeBytes of [7, 100, 2_000, 10_000, 1 << 20]) {
      assert.deepEqual(await read(WHOLE, { rangeBytes }), { blocks: ALL }, `${rangeBytes}`);
    }
  });

  test('is read on from the start of any block', async () => {
    for (const [index, from] of STARTS.entries()) {
      assert.deepEqual(await read(WHOLE, { from, rangeBytes: 500 }), { blocks: ALL.slice(index) });
    }
  });

  test('is not read on from any other place', async () => {
    const wrong = [1, HEADER.length - 1, HEADER.length + 1, (STARTS[2] ?? 0) + 5, WHOLE.length - 1];
    for (const from of wrong) {
      assert.deepEqual(await read(WHOLE, { from }), { blocks: [], error: ['MisplacedPositionError', undefined] });
    }
  });

  test('that ends inside a block gives the blocks before it and says where the torn one starts', async () => {
    for (let cut = 1; cut < WHOLE.length; cut += STARTS.includes(cut + 1) || STARTS.includes(cut) ? 1 : 7) {
      const torn = await read(WHOLE.subarray(0, cut));
      const whole = ALL.filter((_, index) => (STARTS[index + 1] ?? 0) <= cut);
      const start = STARTS.findLast((each) => each <= cut) ?? 0;
      const expected = start === cut ? { blocks: whole } : { blocks: whole, error: ['TornChunkError', start] };
      assert.deepEqual(torn, expected, `cut at ${cut}`);
    }
  });

  test('is read to the length that was listed, however much it has grown since', async () => {
    assert.deepEqual(await read(WHOLE, { length: STARTS[1] ?? 0 }), { blocks: ALL.slice(0, 1) });
  });

  test('whose block does not end in the marker is corrupt from there on, however many markers follow', async () => {
    const damaged = Buffer.from(WHOLE);
    damaged[(STARTS[1] ?? 0) - 1] = 0xff;
    const error = ['CorruptChunkError', STARTS[0]];
    assert.deepEqual(await read(damaged), { blocks: [], error });
  });

  test('with a size that cannot be one is corrupt', async () => {
    const sizes = Buffer.concat([WHOLE.subarray(0, STARTS[0]), Buffer.alloc(64, 0xff)]);
    assert.deepEqual((await read(sizes)).error, ['CorruptChunkError', STARTS[0]]);
  });

  test('that is no Avro file, or a compressed one, is corrupt from its start', async () => {
    const compressed = Buffer.from(WHOLE.toString('latin1').replace('\u0008null', '\u0008zstd'), 'latin1');
    for (const bytes of [Buffer.from('{"hello":"world"}'), compressed]) {
      assert.deepEqual(await read(bytes), { blocks: [], error: ['CorruptChunkError', 0] });
    }
  });

  test('has its header read once and its bytes once', async () => {
    const source = new MemorySource([[PATH, WHOLE]]);
    const { blocks } = await openFromStart({ source, path: PATH, from: 0, length: WHOLE.length, rangeBytes: 1 << 14 });
    for await (const _ of blocks);
    const ranges = Math.ceil(WHOLE.length / (1 << 14));
    assert.equal(source.requests.length, ranges);
  });

  test('has the next range in flight while a block of this one is worked on', async () => {
    const source = new MemorySource([[PATH, WHOLE]]);
    const { blocks } = await openFromStart({ source, path: PATH, from: 0, length: WHOLE.length, rangeBytes: 8_000 });
    await blocks.next();
    assert.equal(source.requests.length, 2);
    await blocks.return(undefined);
  });
});
