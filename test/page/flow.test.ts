import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Box, layOut } from '../../page/parts/flowLayout.ts';
import { flowOf } from '../../page/parts/flowModel.ts';
import { status, TABLES } from './fixtureData.ts';

const RATES = new Map([
  ['ces/sales', { received: 20, applied: 12 }],
  ['ces/hr.eu', { received: 1, applied: 1 }],
]);
const SNAPSHOT = { status: status(0, 5), rates: RATES, tables: TABLES, hasMoreTables: false, health: null };

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

describe('the flow picture', () => {
  test('adds up the streams of a source and says how each source does', () => {
    const { sources, appliedPerSecond, waiting, deadLetters, moreTables } = flowOf(SNAPSHOT);
    assert.deepEqual(
      sources.map(({ source, streams, rate, lagSeconds, state }) => [
        source,
        streams,
        rate.received,
        lagSeconds,
        state,
      ]),
      [
        ['ces', 2, 21, 1.4, 'flowing'],
        ['blob', 1, 0, 141, 'quiet'],
        ['goldengate', 1, 0, 3.2, 'in trouble'],
        ['qlik', 0, 0, null, 'no stream'],
      ],
    );
    assert.deepEqual([appliedPerSecond, waiting, deadLetters, moreTables], [13, 16, 5, 1]);
  });

  test('shows the largest tables, by source', () => {
    assert.deepEqual(
      flowOf(SNAPSHOT).tables.map(({ table }) => table.split('/').at(-1)),
      [
        'Shop.dbo.OrderLines',
        'Shop.dbo.Orders',
        'Shop.dbo.Customers',
        'EmployeesDb.dbo.Employees',
        'blobs',
        'SALES.RECEIPTS',
      ],
    );
  });

  for (const width of [320, 390, 719, 720, 1024, 1280]) {
    test(`keeps its boxes apart and inside at ${width} pixels`, () => {
      const { sources, tables, waiting, deadLetters, height } = layOut(width, 4, [0, 0, 1, 2, undefined]);
      const boxes = [...sources, ...tables, waiting, deadLetters];
      const outside = boxes.filter(
        ({ x, y, ...box }) => x < 0 || y < 0 || x + box.width > width || y + box.height > height,
      );
      const crossing = boxes.filter((box, index) => boxes.slice(index + 1).some((other) => overlap(box, other)));
      assert.deepEqual({ outside, crossing }, { outside: [], crossing: [] });
    });
  }
});
