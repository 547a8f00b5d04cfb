import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { cloudEvent, METADATA, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

describe('an envelope whose text is several records', () => {
  const life = () => [
    record('INSERT', 1, { after: { ID: 1, A: 'a' } }),
    record('UPDATE', 1, { after: { ID: 1, B: 'b' } }),
    record('UPDATE', 1, { before: { ID: 1 }, after: { ID: 2 } }),
  ];
  const AFTER_LIFE = { 1: 'deleted', 2: { ID: 2, A: 'a', B: 'b' } };
  const texts: readonly [string, (records: readonly object[]) => string][] = [
    ['with nothing between them', (records) => records.map((each) => JSON.stringify(each)).join('')],
    ['each on its line', (records) => records.map((each) => JSON.stringify(each)).join('\r\n')],
    ['as a list', (records) => JSON.stringify(records)],
  ];
  const envelopes: readonly ((text: string) => object)[] = [
    (value) => ({ records: [{ key: null, value }] }),
    (data) => ({ ...cloudEvent('OGG-1', {}), data }),
    (text) => ({ ...cloudEvent('OGG-1', {}), data: undefined, data_base64: Buffer.from(text).toString('base64') }),
  ];
  for (const [how, textOf] of texts) {
    test(`${how} brings all of them, in their order`, async () => {
      for (const envelope of envelopes) {
        const { post, rows } = await newStreamOn(store);
        await post(METADATA);
        const body = envelope(textOf(life()));
        assert.deepEqual(await post(body), { applied: 3 });
        assert.deepEqual(await post(body), { duplicate: 3 });
        assert.deepEqual(await rows(), AFTER_LIFE);
      }
    });
  }

  test('parks them, each for itself, where their key is not known', async () => {
    for (const [, textOf] of texts) {
      const { post, rows } = await newStreamOn(store);
      assert.deepEqual(await post({ records: [{ key: null, value: textOf(life()) }] }), { parked: 3 });
      await post(METADATA);
      assert.deepEqual(await rows(), AFTER_LIFE);
    }
  });

  test('one of which is bad brings its neighbours', async () => {
    for (const envelope of envelopes) {
      const { post, rows } = await newStreamOn(store);
      const text = [METADATA, ...life(), record('FROB', 2, {}), record('INSERT', 3, { after: { ID: 3 } })];
      const { reasons, ...counts } = await post(envelope(text.map((each) => JSON.stringify(each)).join('')));
      assert.deepEqual(counts, { catalog: 1, applied: 4, deadLettered: 1 });
      assert.match(String(reasons), /unknown-operation/);
      assert.deepEqual(await rows(), { ...AFTER_LIFE, 3: { ID: 3 } });
    }
  });
});
