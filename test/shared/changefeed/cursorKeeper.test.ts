import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CursorKeeper } from '../../../shared/changefeed/cursorKeeper.ts';
import type { CursorStorage } from '../../../shared/ingest/cursorStore.ts';
import type { Store } from '../../../shared/store/store.ts';
import { startTestStore, type TestStore } from '../testStore.ts';

describe('the cursor of a change feed', () => {
  let testStore: TestStore;
  let store: Store;
  let count = 0;
  before(async () => {
    testStore = await startTestStore();
    store = await testStore.open();
  });
  after(() => testStore.close());

  function options(storage: CursorStorage = store.cursors) {
    return { storage, stream: `s${count++}`, owner: 'a' };
  }

  async function leaseOf(stream: string) {
    const { owner, fence } = (await store.cursors.read(stream))?.document.lease ?? {};
    return { owner, fence };
  }

  async function lapse(stream: string): Promise<void> {
    const version = await store.cursors.read(stream);
    assert.ok(version !== undefined);
    const lease = { ...version.document.lease, until: new Date(0).toISOString() };
    await store.cursors.write({ ...version.document, lease }, version.etag);
  }

  test('is there from the first walk on, is held by one walker, and is freed at its end', async () => {
    const own = options();
    const keeper = await CursorKeeper.acquire(own);
    assert.deepEqual(await leaseOf(own.stream), { owner: 'a', fence: 1 });
    keeper?.update({ gaps: 3 });
    await keeper?.release();
    assert.deepEqual(await leaseOf(own.stream), { owner: null, fence: 1 });
    const next = await CursorKeeper.acquire({ ...own, owner: 'b' });
    assert.equal(next?.cursor.gaps, 3);
    assert.deepEqual(await leaseOf(own.stream), { owner: 'b', fence: 2 });
    await next?.release();
  });

  test('is taken from a walker whose lease has lapsed, which then can save nothing', async () => {
    const own = options();
    const slow = await CursorKeeper.acquire(own);
    assert.ok(slow !== undefined);
    await lapse(own.stream);
    const fast = await CursorKeeper.acquire({ ...own, owner: 'b' });
    assert.ok(fast !== undefined);
    slow.update({ gaps: 99 });
    await assert.rejects(slow.save(), { name: 'LeaseLostError' });
    await assert.rejects(slow.release(), { name: 'LeaseLostError' });
    slow.stop();
    fast.update({ gaps: 1 });
    await fast.release();
    assert.equal((await store.cursors.read(own.stream))?.document.gaps, 1);
  });

  test('is not taken from a walker that renews its lease while one waits for it', async () => {
    const own = options();
    const first = await CursorKeeper.acquire(own);
    assert.equal(await CursorKeeper.acquire({ ...own, owner: 'b' }), undefined);
    await first?.release();
  });

  test('goes to one of two walkers that come at once', async () => {
    const own = options();
    const keepers = await Promise.all([CursorKeeper.acquire(own), CursorKeeper.acquire({ ...own, owner: 'b' })]);
    const winners = keepers.filter((keeper) => keeper !== undefined);
    assert.equal(winners.length, 1);
    await winners[0]?.release();
  });

  test('is saved in few writes however often it is asked for, each promise kept', async () => {
    let writes = 0;
    const { cursors } = store;
    const counting: CursorStorage = {
      read: (stream) => cursors.read(stream),
      write: (document, etag) => {
        writes++;
        return cursors.write(document, etag);
      },
    };
    const own = options(counting);
    const keeper = await CursorKeeper.acquire(own);
    assert.ok(keeper !== undefined);
    writes = 0;
    const saves = Array.from({ length: 20 }, (_, index) => {
      keeper.update({ gaps: index + 1 });
      return keeper.save();
    });
    await saves[0];
    assert.ok((await cursors.read(own.stream))?.document.gaps !== 0);
    await Promise.all(saves);
    assert.equal((await cursors.read(own.stream))?.document.gaps, 20);
    assert.equal(writes, 2);
    await keeper.release();
  });
});
