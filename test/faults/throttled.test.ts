import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderJson } from '../../local/samples/render.ts';
import { shopEvents } from '../../local/samples/shop.ts';
import { ShopModel } from '../../local/samples/shopModel.ts';
import { eventually, startTestStack } from '../stack/testStack.ts';
import { modelOf, rowsByTable } from './modelRows.ts';

const CHANGES = 3_000;
/** About a fifth of what the traffic asks for: most requests come back with 429 at least once. */
const REQUEST_UNITS_PER_SECOND = 2_000;
const ARRIVAL = { patienceMs: 120_000, pollMs: 1_000 };

describe(`with Cosmos DB throttled at ${REQUEST_UNITS_PER_SECOND} request units a second`, () => {
  test('every change arrives once, and rows equal the model', async () => {
    const stack = await startTestStack({}, { requestUnitsPerSecond: REQUEST_UNITS_PER_SECOND });
    try {
      const model = new ShopModel('ces');
      const events = [...shopEvents({ seed: 11, changes: CHANGES })];
      for (const event of events) model.apply(event);
      await stack.send(events.map((event) => renderJson(event)));
      const status = await eventually(
        () => stack.cesStatus(),
        (numbers) => (numbers?.received ?? 0) >= CHANGES,
        ARRIVAL,
      );
      assert.deepEqual([status?.received, status?.deadLettered], [CHANGES, 0]);
      assert.deepEqual(rowsByTable(await stack.rows()), modelOf(model));
      assert.equal((await stack.documents('changes')).length, CHANGES);
    } finally {
      await stack.close();
    }
  });
});
