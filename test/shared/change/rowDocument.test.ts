import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { RowChange } from '../../../shared/change/effect.ts';
import type { RowEffect } from '../../../shared/change/merge.ts';
import {
  applyTo,
  documentOf,
  fromDocument,
  type MergedRow,
  type RowDocument,
  unseen,
} from '../../../shared/change/rowDocument.ts';
import { tokenOf } from '../../../shared/change/tokens.ts';

const HEADER = { id: '1', table: 'ces/s/Db.dbo.T', source: 'ces', stream: 's' } as const;
const TTL_SECONDS = 7_776_000;

const columns = fc
  .dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor', '_ts'), fc.integer({ min: 0, max: 3 }))
  .map((image): [string, number][] => [['id', 1], ...Object.entries(image)]);
const position = fc.integer({ min: 0, max: 9 });

const KINDS = [
  ['full', 'partial', 'delete'],
  ['full', 'amendment', 'removal'],
] as const;

/** Histories of rows whose deletes a newer partial image undoes, and of rows where it does not. */
const history: fc.Arbitrary<RowChange[]> = fc.oneof(
  ...KINDS.map((kinds) =>
    fc.array(
      fc.tuple(fc.constantFrom(...kinds), position, columns).map(([kind, at, image]): RowChange => {
        const committedAt = `2026-01-01T00:00:0${at}.000Z`;
        return { table: HEADER.table, id: HEADER.id, keys: { id: 1 }, committedAt, effect: effectOf(kind, at, image) };
      }),
      { maxLength: 12 },
    ),
  ),
);

function effectOf(kind: (typeof KINDS)[number][number], at: number, image: [string, number][]): RowEffect {
  if (kind === 'delete' || kind === 'removal') return { kind, token: tokenOf(String(at), 'delete') };
  return { kind, token: tokenOf(String(at), kind === 'full' ? 'full' : 'partial'), columns: image };
}

/** As the pipeline does it: `cuts` says after which changes the row goes to the store and comes back. */
function replay(changes: readonly RowChange[], cuts: readonly boolean[]): RowDocument {
  let row: MergedRow = unseen({ id: 1 });
  changes.forEach((each, index) => {
    applyTo(row, each);
    if (cuts[index]) row = fromDocument(JSON.parse(JSON.stringify(documentOf(HEADER, row, 'then', TTL_SECONDS))));
  });
  return documentOf(HEADER, row, 'now', TTL_SECONDS);
}

describe('row documents', () => {
  test('hold the whole merge state: writing and reading in between changes nothing', () => {
    fc.assert(
      fc.property(history, fc.array(fc.boolean()), (changes, cuts) => {
        assert.deepEqual(replay(changes, cuts), replay(changes, []));
      }),
      { numRuns: 2000 },
    );
  });

  test('are equal for one history in any order', () => {
    const shuffled = history.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, fc.array(fc.boolean()), ([changes, other], cuts) => {
        assert.deepEqual(JSON.stringify(replay(other, cuts)), JSON.stringify(replay(changes, [])));
      }),
      { numRuns: 2000 },
    );
  });

  test('name the token that most columns share once, and the others by column', () => {
    const full = {
      kind: 'full',
      token: tokenOf('1', 'full'),
      columns: Object.entries({ id: 1, a: 'x', b: null }),
    } as const;
    const partial = { kind: 'partial', token: tokenOf('2', 'partial'), columns: Object.entries({ a: 'y' }) } as const;
    const row = unseen({ id: 1 });
    const common = { table: HEADER.table, id: '1', keys: { id: 1 } };
    applyTo(row, { ...common, committedAt: '2026-01-01T00:00:01.000Z', effect: full });
    applyTo(row, { ...common, committedAt: '2026-01-01T00:00:02.000Z', effect: partial });
    assert.deepEqual(documentOf(HEADER, row, 'now', TTL_SECONDS), {
      ...HEADER,
      keys: { id: 1 },
      row: { a: 'y', b: null, id: 1 },
      deleted: false,
      token: '1:2',
      base: '1:2',
      columnTokens: { a: '2:0' },
      committedAt: '2026-01-01T00:00:02.000Z',
      updatedAt: 'now',
    });
  });

  test('of a deleted row are tombstones that expire', () => {
    const row = unseen({ id: 1 });
    const effect = { kind: 'delete', token: tokenOf('3', 'delete') } as const;
    applyTo(row, { table: HEADER.table, id: '1', keys: { id: 1 }, committedAt: null, effect });
    assert.deepEqual(documentOf(HEADER, row, 'now', TTL_SECONDS), {
      ...HEADER,
      keys: { id: 1 },
      row: {},
      deleted: true,
      token: '3:1',
      base: '3:1',
      columnTokens: {},
      committedAt: null,
      updatedAt: 'now',
      ttl: TTL_SECONDS,
    });
  });

  test('of a removed row keep what newer amendments said, with their tokens, until a full image comes', () => {
    const row = unseen({ id: 1 });
    const common = { table: HEADER.table, id: '1', keys: { id: 1 }, committedAt: null };
    const amendment = {
      kind: 'amendment',
      token: tokenOf('4', 'partial'),
      columns: Object.entries({ id: 1, tier: 'Cool' }),
    } as const;
    applyTo(row, { ...common, effect: amendment });
    applyTo(row, { ...common, effect: { kind: 'removal', token: tokenOf('3', 'delete') } });
    const tombstone = documentOf(HEADER, row, 'now', TTL_SECONDS);
    assert.deepEqual(tombstone, {
      ...HEADER,
      keys: { id: 1 },
      row: {},
      deleted: true,
      token: '3:1',
      base: '3:1',
      columnTokens: {},
      amended: { id: { value: 1, token: '4:0' }, tier: { value: 'Cool', token: '4:0' } },
      committedAt: null,
      updatedAt: 'now',
      ttl: TTL_SECONDS,
    });
    const again = fromDocument(tombstone);
    const columns = Object.entries({ id: 1, tier: 'Hot', size: 5 });
    applyTo(again, { ...common, effect: { kind: 'full', token: tokenOf('3', 'full'), columns } });
    const { row: back, deleted, amended } = documentOf(HEADER, again, 'now', TTL_SECONDS);
    assert.deepEqual(
      { back, deleted, amended },
      { back: { id: 1, size: 5, tier: 'Cool' }, deleted: false, amended: undefined },
    );
  });
});
