import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { lastHour, MinuteRing } from '../../../shared/ingest/minuteRing.ts';
import { StreamCounters } from '../../../shared/ingest/streamCounters.ts';
import type { CounterDocument } from '../../../shared/store/counters.ts';
import { charge, newRequestMeter } from '../../../shared/store/requestMeter.ts';

const MINUTE_MS = 60_000;
const counts = (received: number) => {
  return { received, applied: received, duplicate: 0, stale: 0, parked: 0, deadLettered: 0, segments: 0 };
};

describe('the last hour', () => {
  test('has sixty minutes, oldest first, summed over instances, with the quiet ones', () => {
    const now = Date.parse('2026-08-07T12:00:30Z');
    const [one, two] = [new MinuteRing(), new MinuteRing()];
    one.add(counts(5), now - 59 * MINUTE_MS);
    one.add(counts(1), now);
    one.add(counts(2), now);
    two.add(counts(4), now);
    const minutes = lastHour([one.cells(), two.cells()], now);
    assert.equal(minutes.length, 60);
    assert.deepEqual(minutes[0], { at: '2026-08-07T11:01:00.000Z', ...counts(5) });
    assert.deepEqual(minutes[1], { at: '2026-08-07T11:02:00.000Z', ...counts(0) });
    assert.deepEqual(minutes[59], { at: '2026-08-07T12:00:00.000Z', ...counts(7) });
  });

  test('forgets what is older', () => {
    const ring = new MinuteRing();
    ring.add(counts(1), 0);
    ring.add(counts(1), 60 * MINUTE_MS);
    assert.deepEqual(Object.keys(ring.cells()), ['60']);
  });
});

describe('counters', () => {
  test('count outcomes, minutes and what the work cost, and are saved once for all batches that wait', async () => {
    const saved: CounterDocument[] = [];
    const store = {
      save: async (document: CounterDocument) => {
        await setImmediate();
        saved.push(document);
      },
    };
    const counters = new StreamCounters(store, 'ces', 's', 'i');
    const whole = newRequestMeter();
    const batch = async (requestUnits: number) => {
      await counters.metered(async () => {
        await setImmediate();
        charge(whole, { requestUnits, throttled: 1 });
      });
      counters.count([{ outcome: 'applied' }, { outcome: 'segment' }], 10, null);
      await counters.save();
    };
    charge(whole, { requestUnits: 100, throttled: 0 });
    await Promise.all(Array.from({ length: 20 }, () => batch(2)));
    assert.ok(saved.length <= 3, `${saved.length} writes for 20 batches`);
    const last = saved.at(-1);
    assert.deepEqual(
      [last?.counts.received, last?.counts.applied, last?.counts.segments, last?.counts.bytes],
      [40, 20, 20, 200],
    );
    assert.deepEqual([last?.requestUnits, last?.throttled], [40, 20]);
    assert.deepEqual([whole.requestUnits, whole.throttled], [140, 20]);
    assert.deepEqual(
      Object.values(last?.minutes ?? {}).map(([received]) => received),
      [40],
    );
  });

  test('that were silent for long begin a new document: the old one may have been folded away', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 0 });
    const saved: CounterDocument[] = [];
    const counters = new StreamCounters({ save: async (document) => void saved.push(document) }, 'ces', 's', 'i');
    const batch = async () => {
      counters.count([{ outcome: 'applied' }], 1, null);
      await counters.save();
    };
    await batch();
    context.mock.timers.tick(3_600_000);
    await batch();
    context.mock.timers.tick(2 * 86_400_000);
    await batch();
    assert.deepEqual(
      saved.map(({ id, counts: { received } }) => [id, received]),
      [
        ['counters:ces:s:i', 1],
        ['counters:ces:s:i', 2],
        ['counters:ces:s:i+', 1],
      ],
    );
  });
});
