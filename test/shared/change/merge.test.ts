import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '../../../shared/change/json.ts';
import { mergeInto, type RowEffect, type RowState, unseenRow } from '../../../shared/change/merge.ts';
import { tokenOf } from '../../../shared/change/tokens.ts';

/** Column names that an object built carelessly would mishandle, and the key, which every image carries. */
const COLUMNS = ['a', 'b', '__proto__', 'constructor'];

const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(null, 'x', 'y'));
const image = fc
  .dictionary(fc.constantFrom(...COLUMNS), value)
  .map((columns): [string, JsonValue][] => [['id', 1], ...Object.entries(columns)]);
/** Few positions, so that ties, which are the hard part, are common. */
const position = fc.integer({ min: 0, max: 6 }).map((n) => String(n));

/** The two pairs of effects that a row can see besides full images. */
const PAIRS = [
  { partial: 'partial', delete: 'delete' },
  { partial: 'amendment', delete: 'removal' },
] as const;

function effectOf(pair: (typeof PAIRS)[number]): fc.Arbitrary<RowEffect> {
  return fc.oneof(
    fc.record({ position, columns: image }).map(({ position, columns }) => ({
      kind: 'full' as const,
      token: tokenOf(position, 'full'),
      columns,
    })),
    fc.record({ position, columns: image }).map(({ position, columns }) => ({
      kind: pair.partial,
      token: tokenOf(position, 'partial'),
      columns,
    })),
    position.map((at) => ({ kind: pair.delete, token: tokenOf(at, 'delete') })),
  );
}

const history = fc.oneof(...PAIRS.map((pair) => fc.array(effectOf(pair), { maxLength: 12 })));
const historyAndOneMore = fc.oneof(
  ...PAIRS.map((pair) => fc.tuple(fc.array(effectOf(pair), { maxLength: 12 }), effectOf(pair))),
);

function replay(effects: readonly RowEffect[]): RowState {
  const row = unseenRow();
  for (const each of effects) mergeInto(row, each);
  return row;
}

function snapshot(row: RowState) {
  return { base: row.base, deleted: row.deleted, cells: [...row.cells].sort(([a], [b]) => (a < b ? -1 : 1)) };
}

describe('the row merge', () => {
  test('is commutative and associative: any order of one history ends in one state', () => {
    const shuffled = history.chain((effects) =>
      fc.tuple(fc.constant(effects), fc.shuffledSubarray(effects, { minLength: effects.length })),
    );
    fc.assert(
      fc.property(shuffled, ([effects, other]) => {
        assert.deepEqual(snapshot(replay(other)), snapshot(replay(effects)));
      }),
      { numRuns: 3000 },
    );
  });

  test('is idempotent: what was merged before changes nothing, wherever it comes again', () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat({ max: 11 })), (effects, again) => {
        const row = replay(effects);
        const before = snapshot(row);
        for (const index of again) {
          const effect = effects[index];
          if (effect !== undefined) assert.equal(mergeInto(row, effect), false);
        }
        assert.deepEqual(snapshot(row), before);
      }),
      { numRuns: 2000 },
    );
  });

  test('tells truly whether it changed the row', () => {
    fc.assert(
      fc.property(historyAndOneMore, ([effects, last]) => {
        const row = replay(effects);
        const before = snapshot(row);
        const changed = mergeInto(row, last);
        assert.equal(changed, JSON.stringify(snapshot(row)) !== JSON.stringify(before));
      }),
    );
  });

  test('equals the row that a database would hold when every change comes in order, with tokens of its own', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('full', 'partial', 'delete'), image), { maxLength: 12 });
    const shuffledSteps = steps.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(
          all.map((_, index) => index),
          { minLength: all.length },
        ),
      ),
    );
    fc.assert(
      fc.property(shuffledSteps, ([all, order]) => {
        let expected: Map<string, JsonValue> | undefined;
        for (const [kind, columns] of all) {
          if (kind === 'delete') expected = undefined;
          else if (kind === 'full') expected = new Map(columns);
          else expected = new Map([...(expected ?? []), ...columns]);
        }
        const effects = all.map(([kind, columns], index): RowEffect => {
          const at = String(index).padStart(4, '0');
          if (kind === 'delete') return { kind: 'delete', token: tokenOf(at, 'delete') };
          const image = kind === 'full' ? 'full' : 'partial';
          return { kind: image, token: tokenOf(at, image), columns };
        });
        const row = replay(order.flatMap((index) => effects[index] ?? []));
        assert.equal(row.deleted, all.length > 0 && expected === undefined);
        assert.deepEqual(
          new Map([...row.cells].map(([column, cell]) => [column, cell.value])),
          expected ?? new Map<string, JsonValue>(),
        );
      }),
      { numRuns: 2000 },
    );
  });

  test('a removed row stays away whatever amends it, and comes back with a newer full image and newer amendments', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('full', 'amendment', 'removal'), image), { maxLength: 12 });
    const shuffledSteps = steps.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray([...all.keys()], { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffledSteps, ([all, order]) => {
        let isGone = false;
        let expected = new Map<string, JsonValue>();
        for (const [kind, columns] of all) {
          if (kind !== 'amendment') isGone = kind === 'removal';
          if (kind === 'removal') expected = new Map();
          else expected = new Map(kind === 'full' ? columns : [...expected, ...columns]);
        }
        const effects = all.map(([kind, columns], index): RowEffect => {
          const at = String(index).padStart(4, '0');
          if (kind === 'removal') return { kind: 'removal', token: tokenOf(at, 'delete') };
          if (kind === 'full') return { kind: 'full', token: tokenOf(at, 'full'), columns };
          return { kind: 'amendment', token: tokenOf(at, 'partial'), columns };
        });
        const row = replay(order.flatMap((index) => effects[index] ?? []));
        assert.equal(row.deleted, isGone);
        assert.deepEqual(new Map([...row.cells].map(([column, cell]) => [column, cell.value])), expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('a late update never brings a deleted row back', () => {
    const row = replay([
      { kind: 'delete', token: tokenOf('5', 'delete') },
      { kind: 'partial', token: tokenOf('4', 'partial'), columns: [['id', 1]] },
      { kind: 'partial', token: tokenOf('5', 'partial'), columns: [['id', 1]] },
    ]);
    assert.deepEqual(snapshot(row), { base: tokenOf('5', 'delete'), deleted: true, cells: [] });
  });
});
