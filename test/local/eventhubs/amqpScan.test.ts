import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import rhea from 'rhea';
import { AmqpDecodeError, binaryAt, mapEntries, skipValue, textAt } from '../../../local/eventhubs/amqpScan.ts';
import { messageSections } from '../../../local/eventhubs/messageSections.ts';

/** The encoding of a value: the message without its body is a prefix of the message with it, and the descriptor takes three bytes. */
function encodeValue(value: unknown): Buffer {
  const emptyBodyBytes = 4;
  const prefixBytes = rhea.message.encode({}).length - emptyBodyBytes;
  return rhea.message.encode({ body: value }).subarray(prefixBytes + 3);
}

const scalar = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ min: -1e6, max: 1e6 }),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array(),
);
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('walking over encoded values', () => {
  test('a value ends where its encoder stopped', () => {
    fc.assert(
      fc.property(anyValue, fc.uint8Array({ maxLength: 9 }), (value, after) => {
        const encoded = encodeValue(value);
        assert.equal(skipValue(Buffer.concat([encoded, after]), 0), encoded.length);
      }),
    );
  });

  test('a value that was cut short is refused', () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), (value, cut) => {
        const encoded = encodeValue(value);
        assert.throws(() => skipValue(encoded.subarray(0, cut % encoded.length), 0), AmqpDecodeError);
      }),
    );
  });

  test('random bytes give a position or a decode error, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          const end = skipValue(Buffer.from(bytes), 0);
          assert.ok(end > 0 && end <= bytes.length);
        } catch (error) {
          assert.ok(error instanceof AmqpDecodeError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('deep nesting is refused', () => {
    const nested = Buffer.concat([...Array.from({ length: 10_000 }, () => Buffer.from([0x00])), Buffer.from([0x40])]);
    assert.throws(() => skipValue(nested, 0), AmqpDecodeError);
  });

  test('an array that claims more elements than it has bytes is refused', () => {
    const billionsOfNulls = Buffer.from([0xf0, 0, 0, 0, 5, 0xff, 0xff, 0xff, 0xff, 0x40]);
    assert.throws(() => skipValue(billionsOfNulls, 0), AmqpDecodeError);
  });

  test('the entries of a map are its keys and values', () => {
    const encoded = encodeValue({ text: 'value', bytes: Buffer.from([1, 2]) });
    const read = mapEntries(encoded, 0).map(({ keyStart, valueStart }) => [
      textAt(encoded, keyStart),
      textAt(encoded, valueStart) ?? binaryAt(encoded, valueStart),
    ]);
    assert.deepEqual(read, [
      ['text', 'value'],
      ['bytes', Buffer.from([1, 2])],
    ]);
  });

  test('what is no map has no entries', () => {
    assert.throws(() => mapEntries(encodeValue('text'), 0), AmqpDecodeError);
  });
});

describe('the sections of a message', () => {
  const body = Buffer.from([0x00, 0x53, 0x77, 0x40]);
  const header = Buffer.from([0x00, 0x53, 0x70, 0x45]);

  test('are found by numeric and symbolic descriptors', () => {
    const descriptor = Buffer.from('amqp:header:list');
    const symbolic = Buffer.concat([Buffer.from([0x00, 0xa3, descriptor.length]), descriptor, Buffer.from([0x45])]);
    const long = Buffer.from([0x00, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x77, 0x40]);
    assert.deepEqual(
      messageSections(Buffer.concat([symbolic, long])).map(({ code }) => code),
      [0x70, 0x77],
    );
  });

  for (const [name, bytes] of [
    ['without a body', header],
    ['that are empty', Buffer.alloc(0)],
    ['with two values', Buffer.concat([body, body])],
    ['with the header last', Buffer.concat([body, header])],
    ['with two headers', Buffer.concat([header, header, body])],
    ['with an unknown section', Buffer.from([0x00, 0x53, 0x10, 0x40])],
    ['that are plain values', Buffer.from([0x40])],
  ] as const) {
    test(`messages ${name} are refused`, () => {
      assert.throws(() => messageSections(bytes), AmqpDecodeError);
    });
  }
});
