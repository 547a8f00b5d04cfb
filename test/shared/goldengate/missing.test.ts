import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { classic, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

/** Each helper with its column, as producers send both for every column. */
const UPDATE = { ID: 1, ID_isMissing: false, A: null, A_isMissing: true, B: null, B_isMissing: false };
const AS_TEXTS = { ID: 1, ID_isMissing: 'false', A: null, A_isMissing: 'true', B: null, B_isMissing: 'false' };
const INSERT = { ID: 1, A: 'a', B: 'b' };

const flat = (prefix: string, image: object) =>
  Object.fromEntries(Object.entries(image).map(([name, value]) => [`${prefix}.${name}`, value]));

const layouts: readonly [string, (before: object, after: object) => object][] = [
  ['that nests its images', (before, after) => ({ before, after })],
  ['that flattens its images', (before, after) => ({ ...flat('before', before), ...flat('after', after) })],
  ['of the row model', (_, after) => after],
];

for (const [what, layout] of layouts) {
  describe(`a record ${what}`, () => {
    test('tells missing columns from nulls by their helpers, which are no columns', async () => {
      for (const update of [UPDATE, AS_TEXTS]) {
        const { post, rows, of } = await newStreamOn(store);
        await post(classic('I', '1', layout({}, INSERT)));
        assert.deepEqual(await post(classic('U', '2', layout(update, update))), { applied: 1 });
        assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a', B: null } });
        const change = (await of('changes')).find(({ op }) => op === 'update');
        assert.deepEqual(change?.after, { ID: 1, B: null });
        if (change?.before !== null) assert.deepEqual(change?.before, { ID: 1, B: null });
      }
    });

    test('has a column of the name of a helper, where there is none that it could help', async () => {
      const { post, rows } = await newStreamOn(store);
      const image = { ID: 1, A: 'a', A_isMissing: false, NOTE_isMissing: true, _isMissing: 'x' };
      await post(classic('I', '1', layout({}, image)));
      assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a', NOTE_isMissing: true, _isMissing: 'x' } });
    });
  });
}

describe('a delete', () => {
  test('whose columns are missing but for its key is of that key', async () => {
    const sent = { ID: 1, ID_isMissing: false, A: null, A_isMissing: true };
    const deletes = [{ before: sent, after: null }, { before: null, after: sent }, flat('before', sent), sent];
    for (const images of deletes) {
      const { post, rows, of } = await newStreamOn(store);
      await post(record('INSERT', 1, { after: INSERT, primary_keys: ['ID'] }));
      assert.deepEqual(await post(record('DELETE', 2, { ...images, primary_keys: ['ID'] })), { applied: 1 });
      assert.deepEqual(await rows(), { 1: 'deleted' });
      const change = (await of('changes')).find(({ op }) => op === 'delete');
      assert.deepEqual(change?.before ?? change?.after, { ID: 1 });
    }
  });

  test('whose key is missing is a dead letter', async () => {
    const { post } = await newStreamOn(store);
    const sent = { ID: null, ID_isMissing: true, A: 'a', A_isMissing: false };
    assert.deepEqual(await post(classic('D', '1', { before: sent, after: null })), {
      deadLettered: 1,
      reasons: [[0, 'invalid-envelope']],
    });
  });
});
