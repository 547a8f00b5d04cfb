import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noteRun, timerStatuses } from '../../../shared/operate/timers.ts';
import { startTestStore, type TestStore } from '../testStore.ts';

const HOUR_MS = 3_600_000;

describe('timers', () => {
  let store: TestStore;
  before(async () => {
    store = await startTestStore();
  });
  after(() => store.close());

  test('show when they last ran, with what they failed, and that they have not run for long', async () => {
    const { timers } = await store.open();
    await noteRun(timers, 'sweep', async () => {});
    await assert.rejects(
      noteRun(timers, 'changeFeed', async () => {
        throw new Error('the feed is away');
      }),
      /away/,
    );
    const now = Date.now();
    const shown = (at: number) =>
      timerStatuses(documents, now, at).map(({ name, lastRunAt, late, error }) => {
        return [name, lastRunAt !== null, late, error];
      });
    const documents = await timers.all();
    assert.deepEqual(shown(now), [
      ['changeFeed', true, false, 'the feed is away'],
      ['sweep', true, false, null],
    ]);
    assert.deepEqual(
      shown(now + HOUR_MS).map(([, , late]) => late),
      [true, true],
    );
  });

  test('that never ran are late only when the app has been there for long', () => {
    const late = (upSince: number) => timerStatuses([], upSince, HOUR_MS).map((timer) => [timer.lastRunAt, timer.late]);
    assert.deepEqual(late(HOUR_MS - 1_000), [
      [null, false],
      [null, false],
    ]);
    assert.deepEqual(late(0), [
      [null, true],
      [null, true],
    ]);
  });
});
