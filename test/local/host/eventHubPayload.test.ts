import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReceivedEventData } from '@azure/event-hubs';
import { bodyBytes, eventHubInput } from '../../../local/host/eventHubPayload.ts';

const SCOPE = { fullyQualifiedNamespace: 'ns', eventHubName: 'hub', consumerGroup: '$Default' };
const ENQUEUED = new Date('2026-01-02T03:04:05.678Z');

function event(
  sequenceNumber: number,
  message: Partial<ReturnType<ReceivedEventData['getRawAmqpMessage']>>,
): ReceivedEventData {
  return {
    body: undefined,
    enqueuedTimeUtc: ENQUEUED,
    partitionKey: null,
    offset: String(sequenceNumber * 100),
    sequenceNumber,
    getRawAmqpMessage: () => ({ body: Buffer.alloc(0), ...message }),
  };
}

describe('an Event Hub payload', () => {
  test('a body keeps its bytes in each form in which the client hands it over', () => {
    const bytes = Buffer.from([0, 255]);
    const forms = [bytes, new Uint8Array(bytes), { typecode: 0x75, content: bytes }, { content: [bytes, bytes] }];
    assert.deepEqual(
      forms.map((form) => bodyBytes(form).toString('hex')),
      ['00ff', '00ff', '00ff', '00ff00ff'],
    );
    assert.deepEqual(
      ['text', null, { content: null }, { a: 1 }].map((form) => bodyBytes(form).toString()),
      ['text', '', '', '{"a":1}'],
    );
  });

  test('large sequence numbers survive as halves', () => {
    const input = eventHubInput('b', [event(2 ** 40 + 2 ** 31 + 5, {})], SCOPE, '3', 'long');
    assert.deepEqual(input.metadata?.SequenceNumberArray, {
      collectionSint64: { sint64: [{ low: (2 ** 31 + 5) | 0, high: 256, unsigned: false }] },
    });
  });

  test('properties become what the .NET host would write: bytes in base64, times in ISO 8601', () => {
    const properties = {
      bytes: Buffer.from('key'),
      at: ENQUEUED,
      never: new Date(Number.NaN),
      list: [Buffer.from('a')],
    };
    const input = eventHubInput('b', [event(7, { applicationProperties: properties })], SCOPE, '3', 'number');
    assert.deepEqual(JSON.parse(input.metadata?.PropertiesArray?.json ?? ''), [
      { bytes: 'a2V5', at: '2026-01-02T03:04:05.678Z', never: null, list: ['YQ=='] },
    ]);
  });

  test('annotations beside the known four stay in the system properties', () => {
    const messageAnnotations = { 'x-opt-kafka-key': Buffer.from('k'), 'x-opt-offset': '700' };
    const input = eventHubInput('b', [event(7, { messageAnnotations })], SCOPE, '3', 'number');
    assert.deepEqual(JSON.parse(input.metadata?.SystemPropertiesArray?.json ?? ''), [
      {
        'x-opt-kafka-key': 'aw==',
        SequenceNumber: 7,
        Offset: '700',
        PartitionKey: null,
        EnqueuedTimeUtc: '2026-01-02T03:04:05.678+00:00',
      },
    ]);
  });
});
