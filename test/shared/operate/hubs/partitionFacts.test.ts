import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HubWatch } from '../../../../shared/operate/hubs/hubWatch.ts';
import { type PartitionFacts, STALL_MS, StallWatch } from '../../../../shared/operate/hubs/partitionFacts.ts';

const NOW = Date.parse('2026-08-07T12:00:00Z');
const at = (before: number) => new Date(NOW - before).toISOString();

function facts(part: Partial<PartitionFacts> = {}): PartitionFacts {
  return {
    partition: '0',
    isEmpty: false,
    firstSequenceNumber: 0,
    lastSequenceNumber: 9,
    lastEnqueuedAt: at(1_000),
    checkpoint: { sequenceNumber: 9, at: at(STALL_MS * 10) },
    ...part,
  };
}

const stalledIn = (watch: StallWatch, part: Partial<PartitionFacts>, now = NOW) => {
  const [partition] = watch.look([facts(part)], now);
  return [partition?.waitingEvents, partition?.stalled];
};

describe('a partition', () => {
  test('is not stalled while nothing waits, however old its checkpoint is', () => {
    assert.deepEqual(stalledIn(new StallWatch(), {}), [0, false]);
    assert.deepEqual(stalledIn(new StallWatch(), { isEmpty: true, checkpoint: undefined }), [0, false]);
  });

  test('is stalled when even the newest event that waits is old', () => {
    const old = { lastEnqueuedAt: at(STALL_MS + 1), checkpoint: { sequenceNumber: 3, at: at(STALL_MS * 2) } };
    assert.deepEqual(stalledIn(new StallWatch(), old), [6, true]);
    assert.deepEqual(stalledIn(new StallWatch(), { ...old, checkpoint: undefined }), [10, true]);
  });

  test('is not stalled by an event that has just come after a long silence', () => {
    const checkpoint = { sequenceNumber: 8, at: at(STALL_MS * 10) };
    assert.deepEqual(stalledIn(new StallWatch(), { checkpoint }), [1, false]);
  });

  test('in steady flow is stalled when one checkpoint was seen to stand for long', () => {
    const watch = new StallWatch();
    const checkpoint = { sequenceNumber: 3, at: at(STALL_MS * 2) };
    assert.deepEqual(stalledIn(watch, { checkpoint }), [6, false]);
    const later = NOW + STALL_MS + 1;
    const flow = { lastSequenceNumber: 99, lastEnqueuedAt: new Date(later).toISOString() };
    assert.deepEqual(stalledIn(watch, { ...flow, checkpoint }, later), [96, true]);
    const moved = { sequenceNumber: 4, at: new Date(later).toISOString() };
    assert.deepEqual(stalledIn(watch, { ...flow, checkpoint: moved }, later), [95, false]);
  });

  test('counts only events that the hub still has', () => {
    const checkpoint = { sequenceNumber: 3, at: at(1_000) };
    assert.deepEqual(stalledIn(new StallWatch(), { firstSequenceNumber: 7, checkpoint }), [3, false]);
  });
});

describe('the watch over a hub', () => {
  const stalled = facts({ lastEnqueuedAt: '2020-01-01T00:00:00Z', checkpoint: undefined });

  test('says which partition stands still and how much waits in it', async () => {
    await assert.rejects(new HubWatch(async () => [stalled]).touch(), {
      name: 'StalledHubError',
      message: 'nothing is taken from partition 0 (10 events wait, checkpoint of never)',
    });
    await new HubWatch(async () => [facts()]).touch();
  });

  test('asks once for all who ask at one time, and lets the status live on that for a while', async () => {
    let reads = 0;
    const watch = new HubWatch(async () => {
      reads++;
      return [facts()];
    });
    await Promise.all([watch.touch(), watch.touch(), watch.lately()]);
    assert.equal((await watch.lately())?.[0]?.waitingEvents, 0);
    assert.equal(reads, 1);
    await watch.touch();
    assert.equal(reads, 2);
  });

  test('knows nothing where the hub does not answer', async () => {
    assert.equal(await new HubWatch(async () => Promise.reject(new Error('away'))).lately(), null);
    assert.equal(await new HubWatch(() => new Promise(() => {})).lately(), null);
  });
});
