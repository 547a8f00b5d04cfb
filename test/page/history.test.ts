import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Change } from '../../page/contract.ts';
import { steps } from '../../page/history.ts';
import { change } from './fixtureData.ts';

/** Kind, column, before and after of every cell, newest change first. */
function summary(newestFirst: readonly Partial<Change>[]) {
  const changes = newestFirst.map((given) => change('ces/s/t', given));
  return steps(changes).map(({ cells }) =>
    cells.map(({ kind, column, before, after }) => [kind, column, before, after]),
  );
}

describe('the history of a row', () => {
  test('says per column what each change did, against what was known before', () => {
    const insert = { op: 'insert', image: 'full', after: { Id: 8, Name: 'a', Note: null } };
    const update = { op: 'update', image: 'partial', after: { Id: 8, Name: 'b' } };
    const remove = { op: 'delete', image: 'none' };
    assert.deepEqual(summary([remove, update, insert]), [
      [
        ['removed', 'Id', 8, undefined],
        ['removed', 'Name', 'b', undefined],
        ['removed', 'Note', null, undefined],
      ],
      [
        ['same', 'Id', 8, 8],
        ['changed', 'Name', 'a', 'b'],
      ],
      [
        ['added', 'Id', undefined, 8],
        ['added', 'Name', undefined, 'a'],
        ['added', 'Note', undefined, null],
      ],
    ]);
  });

  test('trusts a before image over what it remembers', () => {
    const update = { before: { Id: 8, Name: 'c' }, after: { Id: 8, Name: 'd' } };
    const insert = { op: 'insert', image: 'full', after: { Id: 8, Name: 'a' } };
    assert.deepEqual(summary([update, insert])[0], [
      ['same', 'Id', 8, 8],
      ['changed', 'Name', 'c', 'd'],
    ]);
  });

  test('does not invent what was before the oldest change that is kept', () => {
    assert.deepEqual(summary([{ after: { Name: 'b' } }]), [[['set', 'Name', undefined, 'b']]]);
  });

  test('shows columns that a full image no longer has', () => {
    const first = { op: 'insert', image: 'full', after: { Id: 8, Old: 1 } };
    const second = { op: 'snapshot', image: 'full', after: { Id: 8, New: 2 } };
    assert.deepEqual(summary([second, first])[0], [
      ['removed', 'Old', 1, undefined],
      ['same', 'Id', 8, 8],
      ['added', 'New', undefined, 2],
    ]);
  });

  test('ends under a key that the row leaves', () => {
    const insert = { op: 'insert', image: 'full', after: { Id: 8 } };
    const moved = { movedTo: { key: '9' }, before: { Id: 8 }, after: { Id: 9 } };
    assert.deepEqual(summary([moved, insert])[0], [['removed', 'Id', 8, undefined]]);
  });

  test('takes column names for names, whatever they are', () => {
    const after = JSON.parse('{"__proto__": 1, "constructor": 2}');
    assert.deepEqual(summary([{ op: 'insert', image: 'full', after }])[0], [
      ['added', '__proto__', undefined, 1],
      ['added', 'constructor', undefined, 2],
    ]);
  });
});
