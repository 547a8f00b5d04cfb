import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import rhea from 'rhea';
import { RefusedError } from '../../../local/eventhubs/errors.ts';
import { startingSequenceNumber } from '../../../local/eventhubs/filter.ts';
import { Partition } from '../../../local/eventhubs/partition.ts';
import { parseEvent } from '../../../local/eventhubs/rawMessage.ts';

const ROOMY = { maxEvents: 1000, maxBytes: 1_000_000 };
const event = parseEvent(rhea.message.encode({ body: rhea.message.data_section(Buffer.from('x')) }));

function filled(count: number, retention = ROOMY, timeOf = (index: number): number => 1000 + index): Partition {
  const partition = new Partition('0', retention);
  for (let index = 0; index < count; index += 1) {
    partition.append([event], timeOf(index));
  }
  return partition;
}

function kept(partition: Partition): number[] {
  const numbers: number[] = [];
  for (let number = partition.firstSequenceNumber; number < partition.nextSequenceNumber; number += 1) {
    numbers.push(partition.read(number)?.sequenceNumber ?? -1);
  }
  return numbers;
}

describe('a partition', () => {
  test('numbers its events from 0 and gives them growing offsets', () => {
    const partition = filled(3);
    const offsets = [0, 1, 2].map((number) => partition.read(number)?.offset ?? -1);
    assert.equal(offsets[0], 0);
    assert.ok((offsets[1] ?? 0) > 0 && (offsets[2] ?? 0) > (offsets[1] ?? 0));
    assert.deepEqual(partition.state, {
      lastSequenceNumber: 2,
      lastOffset: String(offsets[2]),
      lastEnqueuedTimeMs: 1002,
    });
  });

  test('says -1 while it has had no event', () => {
    const partition = new Partition('0', ROOMY);
    assert.deepEqual(
      { ...partition.state, isEmpty: partition.isEmpty, first: partition.firstSequenceNumber },
      { lastSequenceNumber: -1, lastOffset: '-1', lastEnqueuedTimeMs: 0, isEmpty: true, first: 0 },
    );
  });

  test('never lets enqueued times go back, even when the clock does', () => {
    const partition = filled(4, ROOMY, (index) => [1000, 900, 1100, 5][index] ?? 0);
    assert.deepEqual(
      [0, 1, 2, 3].map((number) => partition.read(number)?.enqueuedTimeMs),
      [1000, 1000, 1100, 1100],
    );
  });

  test('drops its oldest events beyond the bound, and numbers on', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 200 }), (maxEvents, count) => {
        const partition = filled(count, { ...ROOMY, maxEvents });
        const first = Math.max(0, count - maxEvents);
        assert.deepEqual(
          kept(partition),
          Array.from({ length: count - first }, (_, index) => first + index),
        );
      }),
    );
  });

  test('stays right when dropped events are cleared away', () => {
    const partition = filled(20_000, { ...ROOMY, maxEvents: 10 });
    assert.deepEqual(kept(partition), [19_990, 19_991, 19_992, 19_993, 19_994, 19_995, 19_996, 19_997, 19_998, 19_999]);
    assert.equal(partition.read(19_989), undefined);
    assert.equal(partition.read(20_000), undefined);
  });

  test('drops its oldest events beyond its bytes', () => {
    const bytes = filled(1).read(0)?.bytes.length ?? 0;
    assert.deepEqual(kept(filled(9, { maxEvents: 100, maxBytes: (bytes + 5) * 3 })), [6, 7, 8]);
  });
});

describe('the starting position of a receiver', () => {
  const partition = filled(5);
  const offsetOf = (number: number): number => partition.read(number)?.offset ?? -1;
  for (const [selector, expected] of [
    [undefined, 0],
    ["amqp.annotation.x-opt-offset > '-1'", 0],
    ["amqp.annotation.x-opt-offset > '@latest'", 5],
    [`amqp.annotation.x-opt-offset > '${offsetOf(2)}'`, 3],
    [`amqp.annotation.x-opt-offset >= '${offsetOf(2)}'`, 2],
    [`amqp.annotation.x-opt-offset > '${offsetOf(2) - 1}'`, 2],
    [`amqp.annotation.x-opt-offset > '${offsetOf(4)}'`, 5],
    ["amqp.annotation.x-opt-sequence-number > '1'", 2],
    ["amqp.annotation.x-opt-sequence-number >= '1'", 1],
    ["amqp.annotation.x-opt-sequence-number > '-1'", 0],
    ["amqp.annotation.x-opt-enqueued-time > '1001'", 2],
    ["amqp.annotation.x-opt-enqueued-time >= '1001'", 1],
    ["amqp.annotation.x-opt-enqueued-time > '99999999999999'", 5],
  ] as const) {
    test(`with ${selector ?? 'no selector'} is event ${expected}`, () => {
      assert.equal(startingSequenceNumber(selector, partition), expected);
    });
  }

  for (const selector of [
    'x',
    "amqp.annotation.x-opt-offset < '1'",
    "amqp.annotation.x-opt-offset > 'abc'",
    "amqp.annotation.x-opt-publisher > '1'",
    `amqp.annotation.x-opt-offset > '${offsetOf(4) + 1}'`,
    "amqp.annotation.x-opt-sequence-number >= '5'",
  ]) {
    test(`is refused for ${selector}`, () => {
      assert.throws(
        () => startingSequenceNumber(selector, partition),
        (error) => error instanceof RefusedError && error.condition === 'com.microsoft:argument-error',
      );
    });
  }

  test('is the oldest kept event when what was asked for is gone', () => {
    const trimmed = filled(9, { ...ROOMY, maxEvents: 3 });
    assert.equal(startingSequenceNumber("amqp.annotation.x-opt-sequence-number >= '2'", trimmed), 6);
    assert.equal(startingSequenceNumber("amqp.annotation.x-opt-offset >= '0'", trimmed), 6);
  });
});
