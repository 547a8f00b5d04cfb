import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually, journal, startFixture } from './testApp.ts';

describe('the timer trigger', { concurrency: 2 }, () => {
  test('a timer comes on its seconds, and never while its last run is going on', async (t) => {
    const { path, entries } = journal(t);
    await startFixture(t, 'timer', { settings: { JOURNAL: path, TICK: '* * * * * *', TICK_MS: '1100' } });
    const ticks = await eventually(() => {
      const found = entries().filter(({ name }) => name === 'tick');
      return found.length >= 4 && found;
    });
    assert.deepEqual(
      ticks.slice(0, 4).map(({ event }) => event),
      ['start', 'end', 'start', 'end'],
    );
    const starts = ticks.filter(({ event }) => event === 'start').map(({ at }) => Number(at));
    assert.ok(Number(starts[1]) - Number(starts[0]) >= 1_900, `the second that was missed came again: ${starts}`);
    assert.deepEqual(ticks[0]?.timer, { schedule: { adjustForDST: true }, scheduleStatus: null, isPastDue: false });
  });

  test('runOnStartup runs at once, and the retry policy of a timer is followed', async (t) => {
    const { path, entries } = journal(t);
    await startFixture(t, 'timer', { settings: { JOURNAL: path, TICK: '0 0 0 1 1 *' } });
    const runs = await eventually(() => entries().length >= 3 && entries());
    assert.deepEqual(
      runs.map(({ retry }) => retry && Object.assign({}, retry, { exception: undefined })),
      [
        null,
        { retryCount: 1, maxRetryCount: 2, exception: undefined },
        { retryCount: 2, maxRetryCount: 2, exception: undefined },
      ],
    );
  });
});
