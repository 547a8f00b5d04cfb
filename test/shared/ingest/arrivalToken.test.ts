import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  arrivalAfter,
  arrivalClockOf,
  arrivalInList,
  arrivalText,
  arrivalToken,
  withArrivalClock,
} from '../../../shared/ingest/arrivalToken.ts';

const ORDERS = [
  { prefix: '1970', rank: 'partial' },
  { prefix: '1970', rank: 'delete' },
  { prefix: '1970', rank: 'full' },
] as const;

describe('arrivals in a list', () => {
  const list = arrivalText(1_000, 7);
  const inOrder = [
    arrivalText(1_000, 6),
    list,
    arrivalInList(list, 1),
    arrivalInList(arrivalInList(list, 1), 1),
    arrivalInList(arrivalInList(list, 1), 12),
    arrivalInList(list, 2),
    arrivalInList(list, 10),
    arrivalText(1_000, 8),
    arrivalText(1_001, 0),
  ];

  test('stand between those of their neighbours, and the first is the one of the list', () => {
    assert.equal(arrivalInList(list, 0), list);
    assert.deepEqual(inOrder.toReversed().sort(), inOrder);
  });

  test('order tokens of all kinds, and the places of what waits, as they are ordered', () => {
    for (const order of ORDERS) {
      for (const other of ORDERS) {
        inOrder.slice(1).forEach((arrival, index) => {
          const before = arrivalToken(other, inOrder[index] ?? '');
          assert.ok(before < arrivalToken(order, arrival), `${before} ${arrival}`);
        });
      }
    }
    const places = inOrder.map((arrival) => `${arrival} id`);
    assert.deepEqual(places.toReversed().sort(), places);
  });

  test('have the clock of their list, and get another one with it', () => {
    const [order] = ORDERS;
    for (const arrival of inOrder.slice(1, -2)) {
      const token = arrivalToken(order, arrival);
      assert.equal(arrivalClockOf(token), 1_000);
      assert.equal(withArrivalClock(token, 2_000), arrivalToken(order, arrival.replace('1000', '2000')));
    }
  });
});

test('an arrival that has to be after another one is put off no further than it must', () => {
  const at = arrivalText;
  const cases: readonly (readonly [arrival: string, other: string, expected: string])[] = [
    [at(5, 1), '', at(5, 1)],
    [at(5, 1), at(4, 9), at(5, 1)],
    [at(5, 1), at(5, 0), at(5, 1)],
    [at(5, 1), at(5, 1), at(6, 1)],
    [at(5, 1), at(7, 0), at(7, 1)],
    [at(5, 1), at(7, 3), at(8, 1)],
    [at(5, 1), arrivalInList(at(7, 1), 2), at(8, 1)],
    [arrivalInList(at(5, 1), 3), arrivalInList(at(7, 1), 2), arrivalInList(at(7, 1), 3)],
  ];
  for (const [arrival, other, expected] of cases) assert.equal(arrivalAfter(arrival, other), expected);
});
