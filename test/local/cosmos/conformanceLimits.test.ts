import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Container } from '@azure/cosmos';
import {
  BY_PARTITION,
  type ConformanceTarget,
  openConformanceTarget,
  statusOf,
  withoutSystemProperties,
} from './conformanceTarget.ts';

const MEGABYTE_BYTES = 1024 * 1024;

describe('limits', () => {
  let target: ConformanceTarget;
  let container: Container;
  before(async () => {
    target = await openConformanceTarget();
    container = await target.container(BY_PARTITION);
  });
  after(() => target.close());

  test('a document just under two megabytes is kept, one above is refused', async () => {
    const fits = { id: 'fits', pk: 'a', text: 'x'.repeat(2 * MEGABYTE_BYTES - 1000) };
    const created = await container.items.create(fits);
    assert.equal(created.statusCode, 201);
    assert.deepEqual(withoutSystemProperties((await container.item('fits', 'a').read()).resource), fits);
    const above = { id: 'above', pk: 'a', text: 'x'.repeat(2 * MEGABYTE_BYTES) };
    assert.equal(await statusOf(container.items.create(above)), 413);
    assert.equal(await statusOf(container.items.upsert({ ...above, text: 'é'.repeat(MEGABYTE_BYTES) })), 413);
  });

  test('an id has up to 1023 bytes', async () => {
    assert.equal(await statusOf(container.items.create({ id: 'x'.repeat(1023), pk: 'a' })), 201);
    assert.equal(await statusOf(container.items.create({ id: 'x'.repeat(1024), pk: 'a' })), 400);
  });

  test('a document needs an id that is a string', async () => {
    const options = { disableAutomaticIdGeneration: true };
    assert.equal(await statusOf(container.items.create({ pk: 'a' }, options)), 400);
  });

  test('larger documents cost more request units, reads less than writes', async () => {
    const charges: number[] = [];
    for (const [id, length] of [
      ['small', 10],
      ['large', 100_000],
    ] as const) {
      const { requestCharge } = await container.items.create({ id, pk: 'ru', text: 'x'.repeat(length) });
      const read = await container.item(id, 'ru').read();
      charges.push(read.requestCharge, requestCharge);
    }
    const [smallRead = 0, smallWrite = 0, largeRead = 0, largeWrite = 0] = charges;
    assert.equal(smallRead, 1);
    assert.ok(smallRead < smallWrite && smallWrite < largeWrite && smallRead < largeRead && largeRead < largeWrite);
  });
});
