import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventPositions } from '../../functions/eventPositions.ts';

const bodies = [Buffer.from('a'), Buffer.from('')];
const partitionContext = { partitionId: '3', eventHubName: 'ces' };
const unknown = { partition: null, sequenceNumber: null, offset: null, enqueuedAt: null };

describe('positions of the events of a batch', () => {
  test('come from the metadata that is aligned with the bodies', () => {
    const systemPropertiesArray = [
      { sequenceNumber: 7, offset: '112', enqueuedTimeUtc: '2026-01-01T00:00:00Z', partitionKey: 'k' },
      { sequenceNumber: 8, offset: '224', enqueuedTimeUtc: '2026-01-01T00:00:01.5Z' },
    ];
    assert.deepEqual(eventPositions(bodies, { systemPropertiesArray, partitionContext, partitionKeyArray: ['k'] }), [
      { bytes: bodies[0], partition: '3', sequenceNumber: 7, offset: '112', enqueuedAt: '2026-01-01T00:00:00.000Z' },
      { bytes: bodies[1], partition: '3', sequenceNumber: 8, offset: '224', enqueuedAt: '2026-01-01T00:00:01.500Z' },
    ]);
  });

  test('take a sequence number in every form that a worker has handed over', () => {
    const forms: [unknown, number | null][] = [
      [12, 12],
      ['12', 12],
      ['9223372036854775807', null],
      [{ low: 12, high: 0, unsigned: false }, 12],
      [{ low: -1, high: 0 }, 4294967295],
      [{ low: -1, high: 2147483647 }, null],
      [{ low: -1, high: -1 }, -1],
      ['x', null],
      [undefined, null],
      [1.5, null],
    ];
    for (const [sequenceNumber, expected] of forms) {
      const [event] = eventPositions([Buffer.from('a')], {
        systemPropertiesArray: [{ SequenceNumber: sequenceNumber }],
      });
      assert.deepEqual(event, { ...unknown, bytes: Buffer.from('a'), sequenceNumber: expected });
    }
  });

  test('are unknown, never wrong, when the metadata is absent or not aligned', () => {
    const expected = bodies.map((bytes) => ({ ...unknown, bytes }));
    for (const metadata of [
      undefined,
      null,
      {},
      { systemPropertiesArray: [{ sequenceNumber: 1 }] },
      { systemPropertiesArray: 'x' },
    ]) {
      assert.deepEqual(eventPositions(bodies, metadata), expected);
    }
  });

  test('are refused when the host did not hand over bytes', () => {
    assert.throws(() => eventPositions('{}', undefined), { name: 'TypeError', message: /cardinality/ });
    assert.throws(() => eventPositions([{ a: 1 }], undefined), { name: 'TypeError', message: /binary/ });
  });
});
