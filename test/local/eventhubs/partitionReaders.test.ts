import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RefusedError } from '../../../local/eventhubs/errors.ts';
import { type PartitionReader, PartitionReaders } from '../../../local/eventhubs/partitionReaders.ts';

class FakeReader implements PartitionReader {
  readonly name: string;
  readonly ownerLevel: number | undefined;
  stolen = false;

  constructor(name: string, ownerLevel?: number) {
    this.name = name;
    this.ownerLevel = ownerLevel;
  }

  steal(): void {
    this.stolen = true;
  }
}

function refusal(condition: string): (error: unknown) => boolean {
  return (error) => error instanceof RefusedError && error.condition === condition;
}

describe('the readers of a partition', () => {
  for (const level of [3, 4]) {
    test(`with owner level 3 lose it to a newcomer of level ${level}`, () => {
      const readers = new PartitionReaders();
      const owner = new FakeReader('owner', 3);
      const newcomer = new FakeReader('newcomer', level);
      readers.admit(owner);
      readers.admit(newcomer);
      assert.deepEqual([owner.stolen, newcomer.stolen], [true, false]);
    });
  }

  for (const level of [2, undefined]) {
    test(`with owner level 3 keep it from a newcomer of level ${level}`, () => {
      const readers = new PartitionReaders();
      const owner = new FakeReader('owner', 3);
      readers.admit(owner);
      assert.throws(() => readers.admit(new FakeReader('newcomer', level)), refusal('amqp:link:stolen'));
      assert.equal(owner.stolen, false);
    });
  }

  test('without owner level share it, five at most', () => {
    const readers = new PartitionReaders();
    const shared = [1, 2, 3, 4, 5].map((index) => new FakeReader(`reader ${index}`));
    for (const reader of shared) {
      readers.admit(reader);
    }
    assert.throws(() => readers.admit(new FakeReader('sixth')), refusal('amqp:resource-limit-exceeded'));
    assert.ok(shared.every(({ stolen }) => !stolen));
  });

  test('without owner level all lose it to an owner', () => {
    const readers = new PartitionReaders();
    const shared = [new FakeReader('a'), new FakeReader('b')];
    for (const reader of shared) {
      readers.admit(reader);
    }
    readers.admit(new FakeReader('owner', 0));
    assert.ok(shared.every(({ stolen }) => stolen));
  });

  test('make room when they leave', () => {
    const readers = new PartitionReaders();
    const owner = new FakeReader('owner', 9);
    readers.admit(owner);
    readers.release(owner);
    readers.admit(new FakeReader('next'));
  });
});
