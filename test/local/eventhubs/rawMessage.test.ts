import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import rhea from 'rhea';
import { AmqpDecodeError } from '../../../local/eventhubs/amqpScan.ts';
import { encodeEvent, parseBatch, parseEvent, withPartitionState } from '../../../local/eventhubs/rawMessage.ts';

const POSITION = { sequenceNumber: 7_000_000_000, offset: 123_456, enqueuedTimeMs: 1_790_000_000_123 };

const OWN_ANNOTATIONS = {
  'x-opt-sequence-number': 7_000_000_000,
  'x-opt-offset': '123456',
  'x-opt-enqueued-time': new Date(1_790_000_000_123),
};

function decoded(bytes: Buffer): Record<string, unknown> {
  const { body, ...rest } = rhea.message.decode(bytes);
  return { ...rest, body };
}

describe('stored events', () => {
  test('keep everything after the annotations byte for byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.dictionary(fc.string(), fc.string()), (body, properties) => {
        const tail = rhea.message.encode({
          message_id: 'm',
          application_properties: properties,
          body: rhea.message.data_section(Buffer.from(body)),
        });
        const headerBytes = parseEvent(tail).header.length;
        const stored = encodeEvent(parseEvent(tail), POSITION);
        const rest = tail.subarray(headerBytes);
        assert.deepEqual(stored.bytes.subarray(stored.bytes.length - rest.length), rest);
      }),
    );
  });

  test('carry the annotations sent and the position that the broker gave them', () => {
    const sent = rhea.message.encode({
      durable: true,
      message_annotations: {
        'x-opt-partition-key': 'a key',
        'x-opt-sequence-number': 99,
        'x-opt-offset': 'forged',
        other: 1.5,
      },
      delivery_annotations: { hop: 1 },
      content_type: 'application/json',
      application_properties: { answer: 42 },
      body: rhea.message.data_section(Buffer.from('{}')),
    });
    const event = parseEvent(sent);
    assert.equal(event.partitionKey, 'a key');
    const { message_annotations, delivery_annotations, durable, content_type, application_properties } = decoded(
      encodeEvent(event, POSITION).bytes,
    );
    assert.deepEqual(message_annotations, { 'x-opt-partition-key': 'a key', other: 1.5, ...OWN_ANNOTATIONS });
    assert.deepEqual(
      { delivery_annotations, durable, content_type, application_properties },
      {
        delivery_annotations: undefined,
        durable: true,
        content_type: 'application/json',
        application_properties: { answer: 42 },
      },
    );
  });

  test('keep no memory of the received message alive', () => {
    const sent = rhea.message.encode({ body: 'x'.repeat(10_000) });
    assert.notEqual(encodeEvent(parseEvent(sent), POSITION).bytes.buffer, sent.buffer);
  });

  test('tell the state of the partition to receivers that track it', () => {
    const stored = encodeEvent(parseEvent(rhea.message.encode({ durable: true, body: 'x' })), POSITION);
    const state = { lastSequenceNumber: 12, lastOffset: '34', lastEnqueuedTimeMs: 56 };
    const { delivery_annotations, message_annotations, body, durable } = decoded(withPartitionState(stored, state, 78));
    assert.deepEqual(
      { delivery_annotations, message_annotations, body, durable },
      {
        delivery_annotations: {
          last_enqueued_sequence_number: 12,
          last_enqueued_offset: '34',
          last_enqueued_time_utc: new Date(56),
          runtime_info_retrieval_time_utc: new Date(78),
        },
        message_annotations: OWN_ANNOTATIONS,
        body: 'x',
        durable: true,
      },
    );
  });
});

describe('batches', () => {
  test('are taken apart in their order', () => {
    const messages = ['a', 'b', 'c'].map((body) => rhea.message.encode({ body }));
    const envelope = rhea.message.encode({ body: rhea.message.data_sections(messages) });
    assert.deepEqual(
      parseBatch(envelope).map((event) => decoded(encodeEvent(event, POSITION).bytes).body),
      ['a', 'b', 'c'],
    );
  });

  test('lend their partition key to the events that have none', () => {
    const messages = [{ body: 1 }, { body: 2, message_annotations: { 'x-opt-partition-key': 'own' } }].map((message) =>
      rhea.message.encode(message),
    );
    const envelope = rhea.message.encode({
      message_annotations: { 'x-opt-partition-key': 'common' },
      body: rhea.message.data_sections(messages),
    });
    const keys = parseBatch(envelope).map((event) => [
      event.partitionKey,
      rhea.message.decode(encodeEvent(event, POSITION).bytes).message_annotations['x-opt-partition-key'],
    ]);
    assert.deepEqual(keys, [
      ['common', 'common'],
      ['own', 'own'],
    ]);
  });

  test('are refused when a message in them is damaged', () => {
    const envelope = rhea.message.encode({
      body: rhea.message.data_sections([rhea.message.encode({ body: 'x' }), Buffer.from('not a message')]),
    });
    assert.throws(() => parseBatch(envelope), AmqpDecodeError);
  });

  test('are refused when their body is no data', () => {
    assert.throws(() => parseBatch(rhea.message.encode({ body: 'text' })), AmqpDecodeError);
  });
});
