import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lastHour, niceTop } from '../../page/parts/minutes.ts';

const NOTHING = { received: 0, applied: 0, duplicate: 0, stale: 0, parked: 0, deadLettered: 0, segments: 0 };
const NOW = '2026-08-07T16:30:10.000Z';

describe('the last hour', () => {
  test('adds up streams by minute; minutes of nobody are there with zeros, older ones are not', () => {
    const streams = [
      { minutes: [{ ...NOTHING, at: '2026-08-07T16:30:00Z', applied: 3 }] },
      {
        minutes: [
          { ...NOTHING, at: '2026-08-07T15:30:00Z', applied: 99 },
          { ...NOTHING, at: '2026-08-07T15:31:00Z', stale: 1 },
          { ...NOTHING, at: '2026-08-07T16:30:00Z', applied: 4, deadLettered: 2 },
        ],
      },
    ];
    const minutes = lastHour(streams, NOW);
    assert.equal(minutes.length, 60);
    assert.deepEqual(
      minutes
        .filter(({ total }) => total > 0)
        .map(({ at, counts, total }) => [new Date(at).toISOString(), counts, total]),
      [
        [
          '2026-08-07T15:31:00.000Z',
          { applied: 0, duplicate: 0, stale: 1, segments: 0, parked: 0, deadLettered: 0 },
          1,
        ],
        [
          '2026-08-07T16:30:00.000Z',
          { applied: 7, duplicate: 0, stale: 0, segments: 0, parked: 0, deadLettered: 2 },
          9,
        ],
      ],
    );
  });

  test('has a scale whose middle is a whole number', () => {
    assert.deepEqual([0, 3, 5, 10, 11, 99, 101, 740].map(niceTop), [4, 4, 6, 10, 20, 100, 200, 800]);
  });
});
