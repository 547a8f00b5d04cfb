import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestStore, type TestStore } from '../testStore.ts';

describe('a store that is opened during an outage', () => {
  let store: TestStore;
  before(async () => {
    store = await startTestStore();
  });
  after(() => store.close());

  test('works when the service is back, whatever was asked of it meanwhile', async () => {
    const opened = await store.open();
    store.proxy.cutOff();
    await assert.rejects(opened.rows.read([{ table: 't', id: '1' }]), { name: 'StoreUnavailableError' });
    await assert.rejects(opened.deadLetters.count({}), { name: 'StoreUnavailableError' });
    await assert.rejects(opened.counters.all(), { name: 'StoreUnavailableError' });
    store.proxy.disarm();
    assert.deepEqual(await opened.rows.read([{ table: 't', id: '1' }]), [undefined]);
    assert.equal(await opened.deadLetters.count({}), 0);
    assert.deepEqual(await opened.counters.all(), []);
  });
});
