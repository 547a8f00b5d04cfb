import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '../../../shared/change/json.ts';
import { isPointer, listed, revived } from '../../../shared/change/largeValue.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { jsonBytes, MAX_DOCUMENT_BYTES } from '../../../shared/store/documentSize.ts';
import { withLargeValues, withoutLargeValues } from '../../../shared/store/largeValues.ts';
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
/** What pointers and their lists are made of. */
const NAMES = ['$blob', 'bytes', 'sha256', 'encoding', 'largeValues', 'a', '__proto__'] as const;

/** What the store writes for `text` when that is too large. */
async function pointerTo(text: string) {
  const { text: pointer } = (await withoutLargeValues({ text }, store.values, 0)) as { readonly text: unknown };
  assert.ok(isPointer(pointer));
  return pointer;
}

/** What `document` is in the store, without the service's own fields, and with its large values read back. */
async function readBack(document: Record<string, unknown> | undefined) {
  return (await withLargeValues(document ?? {}, store.values)).row;
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

  test('come back unchanged with whatever looks like a pointer in them, stored, read and stored again', async () => {
    const large = fc.integer({ min: 0, max: 9 }).map((digit) => String(digit).repeat(1_500));
    const { $blob, bytes, sha256 } = await pointerTo('7'.repeat(1_500));
    const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        { weight: 2, arbitrary: fc.constantFrom<JsonValue>('text', 7, null, $blob, { $blob, bytes, sha256 }) },
        { weight: 2, arbitrary: large },
        fc.array(tie('json'), { maxLength: 3 }),
        fc
          .array(fc.tuple(fc.constantFrom(...NAMES), tie('json')), { maxLength: 4 })
          .map((entries): JsonValue => Object.fromEntries(entries)),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.record({ a: json, row: json, after: json }, { noNullPrototype: true }), async (document) => {
        const slim = JSON.parse(JSON.stringify(await withoutLargeValues(document, store.values, 2_000)));
        assert.deepEqual(await withLargeValues(slim, store.values), document);
        const again = JSON.parse(JSON.stringify(await withoutLargeValues(listed(revived(slim)), store.values, 400)));
        assert.deepEqual(await withLargeValues(again, store.values), document);
      }),
      { numRuns: 60 },
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
