import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { GoldenGateStream } from '../../../shared/config.ts';
import { FIELDS } from '../../../shared/goldengate/fieldNames.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { countsOf, instanceOn, post } from './consumerOn.ts';
import { classic, METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

let streams = 0;

async function newStream(settings: Partial<GoldenGateStream> = {}) {
  const stream = `f${streams++}`;
  const { consumer } = await instanceOn(store, stream, settings);
  const of = async (container: 'rows' | 'changes') =>
    (await store.documents(container)).filter((each) => each.stream === stream);
  return {
    post: async (body: object) => countsOf(await post(consumer, stream, body)),
    async rows() {
      return Object.fromEntries((await of('rows')).map((row) => [row.id, row.deleted ? 'deleted' : row.row]));
    },
    of,
  };
}

/** Metadata of S.T, whose key is ID, with columns called `names` besides. */
function metadataWith(names: readonly string[]) {
  const columns = names.map((name) => [name, { type: 'string', null: true, key: false }]);
  return { ...METADATA, columns: { ...METADATA.columns, ...Object.fromEntries(columns) } };
}

/** What a row-modelled record of a Data Stream is not understood without. */
const NEEDED = ['qual_table', 'op_type', 'op_ts', 'pos'];
const FREE = FIELDS.filter((field) => !NEEDED.includes(field));

describe('columns that are called like fields', () => {
  test('are columns in row-modelled records when the metadata names them, whatever their values', async () => {
    for (const value of ['text', null, { ID: 77 }, [1]]) {
      const { post, rows, of } = await newStream();
      const columns = { ID: 1, ...Object.fromEntries(FREE.map((name) => [name, value])) };
      assert.deepEqual(await post([metadataWith(FREE), record('INSERT', 1, columns)]), { catalog: 1, applied: 1 });
      assert.deepEqual(await rows(), { 1: columns });
      const [change] = await of('changes');
      assert.deepEqual(Object.keys(change?.origin as object).sort(), [...NEEDED].sort());
      assert.equal(change?.transaction, null);
      assert.deepEqual(await post(record('DELETE', 2, columns)), { applied: 1 });
      assert.deepEqual(await rows(), { 1: 'deleted' });
    }
  });

  test('are columns each for itself', async () => {
    for (const name of FREE) {
      const { post, rows } = await newStream();
      await post([metadataWith([name]), record('INSERT', 1, { ID: 1, [name]: 'a' })]);
      assert.deepEqual([name, await rows()], [name, { 1: { ID: 1, [name]: 'a' } }]);
    }
  });

  test('stay fields where the record would not be understood without them, and are unknown then, not null', async () => {
    const { post, rows } = await newStream({ absent: 'null' });
    assert.deepEqual(await post([metadataWith(NEEDED), record('INSERT', 1, { ID: 1, A: 'a' })]), {
      catalog: 1,
      applied: 1,
    });
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a', B: null } });
  });

  test('stay fields in classic records where they name the table', async () => {
    const { post, rows } = await newStream();
    await post([metadataWith(['table', 'tokens']), classic('I', '1', { ID: 1, tokens: 'a column' })]);
    assert.deepEqual(await rows(), { 1: { ID: 1, tokens: 'a column' } });
  });

  test('stay fields where the metadata does not name them', async () => {
    const { post, rows } = await newStream();
    await post([METADATA, record('INSERT', 1, { ID: 1, A: 'a', rowid: 'AAA', csn: 5, tokens: {} })]);
    assert.deepEqual(await rows(), { 1: { ID: 1, A: 'a' } });
  });

  test('make no row-modelled record of one that nests its images', async () => {
    const { post, rows } = await newStream();
    const image = { ID: 1, A: 'a', before: 'x', after: { ID: 77 }, rowid: 'r' };
    await post([
      metadataWith(['before', 'after', 'rowid']),
      record('INSERT', 1, { rowid: 'of the source', after: image }),
      record('UPDATE', 2, { A: 'a static field', before: { ID: 1 }, after: { ID: 1, before: 'y' } }),
    ]);
    assert.deepEqual(await rows(), { 1: { ...image, before: 'y' } });
  });

  test('are told from flattened images by the metadata', async () => {
    for (const [flattenDelimiter, name] of [
      ['.', 'after.X'],
      ['', 'afternoon'],
    ] as const) {
      const { post, rows } = await newStream({ flattenDelimiter });
      const [id, column] = [`after${flattenDelimiter}ID`, `after${flattenDelimiter}${name}`];
      await post([
        metadataWith([name]),
        record('INSERT', 1, { ID: 1, [name]: 'row model' }),
        record('INSERT', 1, { [id]: 2, [column]: 'flattened' }),
      ]);
      assert.deepEqual(await rows(), { 1: { ID: 1, [name]: 'row model' }, 2: { ID: 2, [name]: 'flattened' } });
    }
  });

  test('do not change which record is a repeat when they become known', async () => {
    const names = ['xid', 'rowid', 'primary_keys'];
    for (const absent of ['unknown', 'null'] as const) {
      for (const images of [{ ID: 1, A: 'a', rowid: 'r' }, { after: { ID: 1, A: 'a' } }]) {
        for (const op of ['INSERT', 'UPDATE', 'DELETE']) {
          const { post } = await newStream({ absent, keys: { 'S.T': ['ID'] } });
          const { pos: _, ...sent } = record(op, 1, images);
          assert.deepEqual(await post([sent]), { applied: 1 });
          assert.deepEqual(await post([metadataWith(names), sent]), { catalog: 1, duplicate: 1 });
        }
      }
    }
  });
});
