import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EMPLOYEE_8_INSERT, EMPLOYEE_8_UPDATE } from '../../local/samples/employee8.ts';
import { renderJson } from '../../local/samples/render.ts';
import type { DeadLetterDocument } from '../../shared/store/deadLetters.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';

const good = JSON.parse(Buffer.from(renderJson(EMPLOYEE_8_INSERT)).toString());
const { eventsource: _, ...withoutSource } = JSON.parse(good.data);

const BAD: readonly [string, Uint8Array, string][] = [
  ['bytes that are not JSON', Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x7f]), 'undecodable'],
  ['an empty body', Buffer.alloc(0), 'undecodable'],
  ['JSON that is cut off', Buffer.from(renderJson(EMPLOYEE_8_INSERT)).subarray(0, 200), 'undecodable'],
  ['JSON that is no CloudEvent', Buffer.from('{"hello":"world"}'), 'invalid-envelope'],
  ['a CloudEvent of another type', text({ ...good, type: 'com.example.other' }), 'unsupported-type'],
  ['data that does not parse', text({ ...good, data: '{"eventsource":' }), 'undecodable'],
  ['a missing eventsource', text({ ...good, data: JSON.stringify(withoutSource) }), 'invalid-envelope'],
  ['an operation that does not exist', text({ ...good, operation: 'UPSERT' }), 'unknown-operation'],
];

function text(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

describe('bad events in a batch', () => {
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack();
    const bodies = BAD.map(([, body]) => body);
    await stack.send([renderJson(EMPLOYEE_8_INSERT), ...bodies, renderJson(EMPLOYEE_8_UPDATE)], '2');
    await eventually(
      () => stack.rows(),
      ([row]) => row?.row.LastName === 'Nikolic-Smith',
    );
  });
  after(() => stack.close());

  test('become one dead letter each, with its reason and its exact bytes', async () => {
    const letters = await eventually(
      () => stack.documents<DeadLetterDocument>('deadletters'),
      (all) => all.length === BAD.length,
    );
    const found = letters.map(({ reason, bytes, byteLength, stream, source, position, tries }) => {
      const { hub, partition, sequenceNumber } = position;
      return { reason, bytes, byteLength, stream, source, hub, partition, sequenceNumber, tries };
    });
    const expected = BAD.map(([, body, reason], index) => ({
      reason,
      bytes: Buffer.from(body).toString('base64'),
      byteLength: body.byteLength,
      stream: 'ces',
      source: 'ces',
      hub: 'ces',
      partition: '2',
      sequenceNumber: index + 1,
      tries: 0,
    }));
    const bySequence = (a: { sequenceNumber?: unknown }, b: { sequenceNumber?: unknown }) =>
      Number(a.sequenceNumber) - Number(b.sequenceNumber);
    assert.deepEqual(found.sort(bySequence), expected);
  });

  test('harm none of their neighbours', async () => {
    const [row, ...others] = await stack.rows();
    assert.deepEqual([row?.row.LastName, others], ['Nikolic-Smith', []]);
  });

  test('do not hold the partition', async () => {
    await stack.send([Buffer.from('not JSON either')], '2');
    const letters = await eventually(
      () => stack.documents('deadletters'),
      (found) => found.length === BAD.length + 1,
    );
    assert.equal(letters.length, BAD.length + 1);
  });
});
