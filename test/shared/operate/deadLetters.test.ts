import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { EMPLOYEE_8_INSERT } from '../../../local/samples/employee8.ts';
import { renderAvro, renderJson } from '../../../local/samples/render.ts';
import { CesReplayer } from '../../../shared/ces/replay.ts';
import { arrivalText } from '../../../shared/ingest/arrivalToken.ts';
import { packContinuation } from '../../../shared/ingest/page.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { viewOf } from '../../../shared/operate/deadLetterView.ts';
import { filterOf, limitOf, replayRequestOf } from '../../../shared/operate/parameters.ts';
import { purgeDeadLetters } from '../../../shared/operate/purge.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { bury, hubMessage, letters } from './buried.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const queryOf = (text: string) => {
  const parameters = new URLSearchParams(text);
  return (name: string) => parameters.get(name);
};

describe('dead letters', () => {
  test('are listed page by page, newest first, without their bytes, and filtered', async () => {
    const bodies = Array.from({ length: 25 }, (_, index) => hubMessage(Buffer.from(`bad ${index}`)));
    await bury(store, 'ces', 'listed', bodies);
    await bury(store, 'qlik', 'listed', [{ position: {}, bytes: Buffer.from('?') }]);
    const { deadLetters } = await store.open();
    const ids: string[] = [];
    let continuation: string | null = null;
    do {
      const page = await deadLetters.list({ stream: 'listed', source: 'ces' }, { limit: 10, continuation });
      assert.ok(page.items.length <= 10 && page.items.every((item) => !('bytes' in item) && !('place' in item)));
      ids.push(...page.items.map(({ id }) => id));
      continuation = page.continuation;
    } while (continuation !== null);
    assert.deepEqual(new Set(ids).size, 25);
    assert.equal(await deadLetters.count({ stream: 'listed' }), 26);
    assert.equal(await deadLetters.count({ stream: 'listed', from: new Date(Date.now() + 60_000).toISOString() }), 0);
    assert.equal(await deadLetters.count({ reason: 'no-key' }), 0);
    for (const wrong of ['x', packContinuation([1])]) {
      await assert.rejects(deadLetters.list({}, { limit: 1, continuation: wrong }), { name: 'ContinuationError' });
    }
  });

  test('are listed by when they became dead letters, however long ago their records came', async () => {
    const { deadLetters } = await store.open();
    const listed = async () => (await deadLetters.list({ stream: 'aged' }, { limit: 9, continuation: null })).items;
    const arrivals = [3_000, 1_000, 2_000].map((clockMs) => arrivalText(clockMs, 0));
    const buried: string[] = [];
    for (const arrival of arrivals) {
      const ids = await bury(store, 'goldengate', 'aged', [{ position: {}, bytes: Buffer.from(arrival), arrival }]);
      buried.unshift(...ids.map(({ id }) => id));
      await delay(2);
    }
    assert.deepEqual(
      (await listed()).map(({ id }) => id),
      buried,
    );
  });

  test('are shown with their bytes, their text, and what today’s code makes of them', async () => {
    const json = hubMessage(renderJson(EMPLOYEE_8_INSERT));
    const ids = await bury(store, 'ces', 'ces', [json, hubMessage(renderAvro(EMPLOYEE_8_INSERT))]);
    const opened = await store.open();
    const [stream] = store.config.streams.ces;
    assert.ok(stream !== undefined);
    const limits = { ...store.config.limits, timeoutMs: 1 };
    const { segments, catalog } = opened;
    const pipeline = new Pipeline(opened, store.config);
    const replayer = new CesReplayer(stream, { pipeline, segments, catalog, limits });
    const views = await Promise.all(
      ids.map(async (id) => {
        const version = await opened.deadLetters.read(id);
        assert.ok(version !== undefined);
        return viewOf(version.document, replayer);
      }),
    );
    assert.deepEqual(
      views.map(({ decoded, text }) => [decoded.changes?.map(({ op, keys }) => [op, keys]), text === null]),
      [
        [[['insert', { Id: 8 }]], false],
        [[['insert', { Id: 8 }]], true],
      ],
    );
    const [view] = views;
    assert.equal(view?.text, Buffer.from(json.bytes).toString());
    assert.equal(view?.bytes, Buffer.from(json.bytes).toString('base64'));
    assert.match(view?.explanation ?? '', /look at the producer/);
    assert.deepEqual(
      Object.keys(view ?? {}).filter((name) => name.startsWith('_')),
      [],
    );
    assert.deepEqual(await opened.deadLetters.read({ stream: 'ces', id: 'nobody' }), undefined);
  });

  test('are purged by a filter, never by leaving it out', async () => {
    const { deadLetters } = await store.open();
    await bury(store, 'ces', 'purged', [hubMessage(Buffer.from('a')), hubMessage(Buffer.from('b'))]);
    await assert.rejects(purgeDeadLetters(deadLetters, {}), { name: 'QueryError' });
    const before = (await letters(store)).length;
    assert.deepEqual(await purgeDeadLetters(deadLetters, { stream: 'purged' }), { deleted: 2, remaining: 0 });
    assert.equal((await letters(store)).length, before - 2);
  });
});

describe('parameters', () => {
  test('of a filter are read into one form of time, and wrong ones named', () => {
    const filter = filterOf(queryOf('stream=a&reason=no-key&from=2026-08-07T12:00:00%2B02:00&to='));
    assert.deepEqual(filter, { stream: 'a', reason: 'no-key', from: '2026-08-07T10:00:00.000Z' });
    for (const wrong of ['reason=whim', 'from=yesterday', 'source=mysql']) {
      assert.throws(() => filterOf(queryOf(wrong)), {
        name: 'QueryError',
        message: new RegExp(wrong.split('=')[0] ?? ''),
      });
    }
  });

  test('of a page have bounds', () => {
    assert.equal(limitOf(queryOf('')), 50);
    assert.equal(limitOf(queryOf('limit=500')), 500);
    for (const wrong of ['0', '501', '1.5', 'x']) {
      assert.throws(() => limitOf(queryOf(`limit=${wrong}`)), { name: 'QueryError' });
    }
  });

  test('of a replay name letters or a filter', () => {
    const ids = [{ stream: 'a', id: 'b' }];
    assert.deepEqual(replayRequestOf({ ids }), { which: { ids }, force: false, continuation: null });
    assert.deepEqual(replayRequestOf({ filter: { stream: 'a' }, force: true }), {
      which: { filter: { stream: 'a' } },
      force: true,
      continuation: null,
    });
    for (const wrong of [null, {}, { ids: [{}] }, { filter: { reason: 'x' } }, { ids, extra: 1 }, []]) {
      assert.throws(() => replayRequestOf(wrong), { name: 'QueryError' });
    }
  });
});
