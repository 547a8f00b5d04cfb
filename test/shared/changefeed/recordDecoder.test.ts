import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import avro, { type Schema } from 'avsc';
import fc from 'fast-check';
import { avroBlock, avroHeader } from '../../../local/changefeed/avroFile.ts';
import { BlobAccount } from '../../../local/changefeed/blobAccount.ts';
import { feedSchema, feedType, SCHEMA_VERSIONS } from '../../../local/changefeed/feedSchema.ts';
import { hourOf } from '../../../local/changefeed/sampleFeed.ts';
import { openFromStart } from '../../../shared/changefeed/chunk.ts';
import { RecordDecoder } from '../../../shared/changefeed/recordDecoder.ts';
import { UnprocessableError } from '../../../shared/ingest/reasons.ts';
import { MemorySource } from './memorySource.ts';

/** The values of a chunk with one block; an undecodable rest is its reason. */
async function decode(schema: Schema, block: Buffer): Promise<unknown[]> {
  const bytes = Buffer.concat([avroHeader(schema), block]);
  const source = new MemorySource([['x', bytes]]);
  const { chunk, blocks } = await openFromStart({ source, path: 'x', from: 0, length: bytes.length });
  const values: unknown[] = [];
  for await (const each of blocks) {
    for (const { value } of RecordDecoder.of(chunk.header.schema).decode(chunk, each)) {
      values.push(value instanceof UnprocessableError ? value.reason : JSON.parse(JSON.stringify(value)));
    }
  }
  return values;
}

/** What is left of an event in a schema version that has not all of its fields. */
function inVersion(version: (typeof SCHEMA_VERSIONS)[number], record: unknown): unknown {
  const type = feedType(version);
  return JSON.parse(JSON.stringify(type.fromBuffer(type.toBuffer(record))));
}

describe('the records of a chunk', () => {
  test('are read in every version of the schema, names and enums as the writer had them', async () => {
    for (const version of SCHEMA_VERSIONS) {
      const events = hourOf(new BlobAccount(new Date('2026-08-07T10:00:00Z'), version), version);
      const values = await decode(feedSchema(version), avroBlock(feedType(version), events));
      assert.deepEqual(
        values,
        events.map((event) => inVersion(version, event)),
      );
    }
  });

  test('of a later version keep the fields, enums and types that nobody has heard of', async () => {
    const schema: Schema = {
      type: 'record',
      name: 'Later',
      fields: [
        { name: 'id', type: 'string' },
        { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['Old', 'NeverHeardOf'] } },
        { name: 'nested', type: { type: 'map', values: { type: 'array', items: ['null', 'string', 'long'] } } },
        { name: 'ratio', type: 'double' },
        { name: 'flag', type: 'boolean' },
      ],
    };
    const record = { id: 'a', kind: 'NeverHeardOf', nested: { x: [null, 'y', 7] }, ratio: 0.25, flag: true };
    const type = avro.Type.forSchema(schema, { wrapUnions: false });
    assert.deepEqual(await decode(schema, avroBlock(type, [record, record])), [record, record]);
  });

  test('lose nothing: long numbers, raw bytes, odd floats and odd names', async () => {
    const schema: Schema = {
      type: 'record',
      name: 'Odd',
      fields: [
        { name: 'size', type: 'long' },
        { name: 'hash', type: 'bytes' },
        { name: 'mark', type: { type: 'fixed', name: 'Mark', size: 2 } },
        { name: 'ratio', type: 'float' },
        { name: 'tags', type: { type: 'map', values: 'string' } },
      ],
    };
    const name = Buffer.from('__proto__').toString('hex');
    // 2^63 - 1, two bytes, two bytes, NaN, and a map with one member.
    const payload = Buffer.from(`feffffffffffffffff0104abcd01020000c07f0212${name}026100`, 'hex');
    const type = avro.Type.forSchema('null');
    const framed = avroBlock(type, [null]);
    const block = Buffer.concat([
      Buffer.from([2]),
      Buffer.from([payload.length * 2]),
      payload,
      framed.subarray(framed.length - 16),
    ]);
    const odd = `{"size":"9223372036854775807","hash":"q80=","mark":"AQI=","ratio":"NaN","tags":{"__proto__":"a"}}`;
    assert.deepEqual(await decode(schema, block), [JSON.parse(odd)]);
  });

  test('that cannot be decoded take the rest of their block with them and nothing else', async () => {
    const account = new BlobAccount(new Date('2026-08-07T10:00:00Z'));
    const type = feedType(5);
    const [first, second] = [account.put('c', 'a'), account.put('c', 'b')];
    const good = type.toBuffer(first);
    const block = avroBlock(type, [first, second, second]);
    // The second record's eventType becomes a symbol that does not exist.
    block[block.indexOf(second.subject, 20 + good.length) + second.subject.length] = 0x7e;
    assert.deepEqual(await decode(feedSchema(5), block), [inVersion(5, first), 'undecodable']);
  });

  test('with flipped bits end in values or in a reason, soon', async () => {
    const account = new BlobAccount(new Date('2026-08-07T10:00:00Z'));
    const block = avroBlock(feedType(5), [account.setTags('c', 'a', { t: '1' }, {}), account.put('c', 'b')]);
    const flips = fc.array(
      fc.tuple(fc.integer({ min: 20, max: block.length - 17 }), fc.integer({ min: 1, max: 255 })),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const started = performance.now();
    await fc.assert(
      fc.asyncProperty(flips, async (all) => {
        const damaged = Buffer.from(block);
        for (const [at, mask] of all) damaged[at] = (damaged[at] ?? 0) ^ mask;
        for (const value of await decode(feedSchema(5), damaged)) {
          assert.ok(value === 'undecodable' || typeof value === 'object');
        }
      }),
      { numRuns: 1000 },
    );
    assert.ok(performance.now() - started < 10_000);
  });

  test('with a schema that is none are refused', () => {
    assert.throws(() => RecordDecoder.of('{"type":"nonsense"}'), { name: 'UnprocessableError', reason: 'undecodable' });
    assert.throws(() => RecordDecoder.of('no JSON'), { name: 'UnprocessableError', reason: 'undecodable' });
  });
});
