import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '../../local/samples/random.ts';
import { renderJson } from '../../local/samples/render.ts';
import type { SampleEvent } from '../../local/samples/sampleEvent.ts';
import { shopEvents } from '../../local/samples/shop.ts';
import { ShopModel } from '../../local/samples/shopModel.ts';
import { eventually, startTestStack, type TestStack } from '../stack/testStack.ts';
import { modelOf, rowsByTable } from './modelRows.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const CHANGES = 20_000;
const KILLS = 20;
const SLICE = 200;
/** Between two kills the app lives this long at the most: sometimes it has hardly started, sometimes it is in full flow. */
const MAX_LIFE_MS = 1_500;

describe(`killing the app process ${KILLS} times while ${CHANGES} changes flow (SEED=${SEED})`, () => {
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack();
  });
  after(() => stack.close());

  test('ends with rows equal to the model', async () => {
    const random = new SeededRandom(SEED);
    const model = new ShopModel('ces');
    const events: SampleEvent[] = [...shopEvents({ seed: SEED, changes: CHANGES })];
    for (const event of events) model.apply(event);

    let kills = 0;
    const killing = (async () => {
      while (kills < KILLS) {
        await delay(random.integer(100, MAX_LIFE_MS));
        if (stack.host.appPid === undefined) continue;
        stack.host.killApp('SIGKILL');
        kills++;
      }
    })();
    for (let start = 0; start < events.length; start += SLICE) {
      await stack.send(
        events.slice(start, start + SLICE).map((event) => renderJson(event)),
        String(random.integer(0, 3)),
      );
    }
    await killing;
    assert.equal(kills, KILLS);

    const expected = modelOf(model);
    const total = [...model.rows.values()].reduce((sum, rows) => sum + rows.size, 0);
    const rows = await eventually(
      async () => rowsByTable(await stack.rows()),
      (found) => JSON.stringify(found) === JSON.stringify(expected),
      { patienceMs: 180_000, pollMs: 1_000 },
    );
    assert.deepEqual(rows, expected);
    assert.equal((await stack.rows()).length, total);
    assert.equal((await stack.documents('changes')).length, CHANGES);
    assert.deepEqual(await stack.documents('deadletters'), []);
  });
});
