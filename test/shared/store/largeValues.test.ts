import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { jsonBytes, MAX_DOCUMENT_BYTES } from '../../../shared/store/documentSize.ts';
import { isPointer, withLargeValues, withoutLargeValues } from '../../../shared/store/largeValues.ts';
import type { Store } from '../../../shared/store/store.ts';
import { deliver, TestTable } from '../ingest/changes.ts';
import { startTestStore, type TestStore } from '../testStore.ts';

let testStore: TestStore;
let store: Store;
before(async () => {
  testStore = await startTestStore({ blobs: true });
  store = await testStore.open();
});
after(() => testStore.close());

const MEGABYTE = 1_000_000;
/** What `document` is in the store, without the service's own fields, and with its large values read back. */
async function readBack(document: Record<string, unknown> | undefined) {
  return withLargeValues(document?.row, store.values);
}

describe('documents beyond two megabytes', () => {
  test('give up their largest texts, largest first, and get them back unchanged', async () => {
    const document = {
      small: 'x',
      large: 'é'.repeat(600_000),
      larger: '"'.repeat(900_000),
      nested: { list: ['y', 'z'.repeat(700_000)] },
    };
    const slim = await withoutLargeValues(document, store.values);
    assert.ok(jsonBytes(slim) <= MAX_DOCUMENT_BYTES);
    assert.deepEqual([isPointer(slim.larger), isPointer(slim.large), slim.small], [true, false, 'x']);
    assert.deepEqual(await withLargeValues(slim, store.values), document);
  });

  test('come back unchanged whatever is in them, half a surrogate pair and hostile names included', async () => {
    const text = fc.string({
      unit: fc.constantFrom('\ud83d', '\ude00', '"', 'é', 'a', '\u0000'),
      minLength: 300,
      maxLength: 400,
    });
    const name = fc.constantFrom('a', 'b', '__proto__', 'constructor', '$blob');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, text), { minLength: 1, maxLength: 5 }), async (entries) => {
        const document = Object.fromEntries(entries);
        const slim = await withoutLargeValues(document, store.values, 2_000);
        assert.ok(jsonBytes(slim) <= 2_000);
        assert.deepEqual(await withLargeValues(slim, store.values), document);
      }),
      { numRuns: 20 },
    );
  });

  test('are kept: a row of five megabytes converges like any other', async () => {
    const table = new TestTable('large');
    const pipeline = new Pipeline(store, testStore.config);
    const row = { id: 1, a: 'a'.repeat(2.5 * MEGABYTE), b: 'é'.repeat(1.2 * MEGABYTE), c: 'small' };
    const insert = table.insert(1, row);
    const update = table.update(2, { id: 1, c: 'still small' });
    for (const batch of [[insert], [update], [insert, update]]) await pipeline.ingest('ces', 's', deliver(batch));
    const [stored] = (await testStore.documents('rows')).filter(({ table: name }) => name === table.table);
    assert.deepEqual(await readBack(stored), { ...row, c: 'still small' });
    const changes = (await testStore.documents('changes')).filter(({ table: name }) => name === table.table);
    assert.equal(changes.length, 2);
    const outcomes = await pipeline.ingest('ces', 's', deliver([insert, update]));
    assert.deepEqual(outcomes, [{ outcome: 'duplicate' }, { outcome: 'duplicate' }]);
  });

  test('that no single text is to blame for make a dead letter, and harm no neighbour', async () => {
    const table = new TestTable('hopeless');
    const pipeline = new Pipeline(store, testStore.config);
    const columns = Array.from({ length: 40_000 }, (_, n) => [`column ${n}`, 'x'.repeat(40)]);
    const deliveries = deliver([
      table.insert(1, { id: 1, ...Object.fromEntries(columns) }),
      table.insert(2, { id: 2 }),
    ]);
    const [refused, applied] = await pipeline.ingest('ces', 's', deliveries);
    const [letter] = (await testStore.documents('deadletters')).filter(({ stream }) => stream === 's');
    assert.deepEqual(refused, {
      outcome: 'deadLettered',
      reason: 'store-rejected',
      detail: 'the document of the change was refused with status 413',
      deadLetterId: letter?.id,
    });
    assert.deepEqual(applied, { outcome: 'applied' });
  });
});
