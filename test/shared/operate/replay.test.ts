import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { avroBlock, avroHeader } from '../../../local/changefeed/avroFile.ts';
import { BlobAccount } from '../../../local/changefeed/blobAccount.ts';
import { feedSchema, feedType } from '../../../local/changefeed/feedSchema.ts';
import { EMPLOYEE_8, EMPLOYEE_8_INSERT, EMPLOYEE_8_UPDATE } from '../../../local/samples/employee8.ts';
import { renderAvro, renderJson } from '../../../local/samples/render.ts';
import type { SampleEvent } from '../../../local/samples/sampleEvent.ts';
import { replayDeadLetters } from '../../../shared/operate/replay.ts';
import { deaths } from '../deaths.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { bury, hubMessage, letters, numbersOf, replay } from './buried.ts';

/** The sample events have their own time, and the tests must not grow too old. */
const LONG_MEMORY = { TOMBSTONE_TTL_DAYS: '3650' };

let store: TestStore;
before(async () => {
  store = await startTestStore({ settings: LONG_MEMORY });
});
after(() => store.close());
beforeEach(async () => {
  const opened = await store.open();
  await opened.deadLetters.purge(await letters(store));
});

/** The life of a row in a table of its own. */
function lifeIn(tbl: string): SampleEvent[] {
  return EMPLOYEE_8.map((event) => ({ ...event, table: { ...event.table, tbl, logicalPrefix: tbl } }));
}

async function rowsIn(tbl: string) {
  const rows = (await store.documents('rows')).filter(({ table }) => String(table).endsWith(`.${tbl}`));
  const changes = (await store.documents('changes')).filter(({ table }) => String(table).endsWith(`.${tbl}`));
  return { rows: rows.map(({ row, deleted }) => (deleted ? 'deleted' : row)), changes: changes.length };
}

describe('replaying dead letters', () => {
  test('makes rows of records that today’s code can read, in any order, and removes their letters', async () => {
    const bodies = lifeIn('readable').map((event, index) => (index === 1 ? renderAvro(event) : renderJson(event)));
    const ids = await bury(store, 'ces', 'ces', bodies.map(hubMessage));
    assert.deepEqual(numbersOf(await replay(store, ids.toReversed())), { replayed: 3, applied: 3 });
    assert.deepEqual(await rowsIn('readable'), { rows: ['deleted'], changes: 3 });
    assert.deepEqual(await letters(store), []);
    assert.deepEqual(numbersOf(await replay(store, ids)), { missing: 3 });
  });

  test('counts the tries of those that still cannot be read, and notes today’s reason', async () => {
    const [id] = await bury(store, 'ces', 'ces', [hubMessage(Buffer.from('{"hello":"world"}'))]);
    assert.ok(id !== undefined);
    for (const tries of [1, 2]) {
      const report = await replay(store, [id]);
      assert.deepEqual(numbersOf(report), { stillDead: 1 });
      assert.deepEqual(
        report.errors.map(({ reason, ...address }) => ({ reason, id: address.id })),
        [{ reason: 'invalid-envelope', id: id.id }],
      );
      const [letter, ...others] = await letters(store);
      assert.deepEqual([letter?.reason, letter?.tries, others], ['invalid-envelope', tries, []]);
      assert.ok(letter?.triedAt !== undefined);
    }
  });

  test('says so when the stream of a letter is not there any more', async () => {
    const ids = await bury(store, 'ces', 'gone', [hubMessage(Buffer.from('x'))]);
    const { stillDead, errors } = await replay(store, ids);
    assert.equal(stillDead, 1);
    assert.match(errors[0]?.detail ?? '', /not in the settings/);
  });

  test('goes on with the others when the code stumbles over one', async () => {
    const ids = await bury(store, 'ces', 'ces', [hubMessage(Buffer.from('a')), hubMessage(Buffer.from('b'))]);
    const { deadLetters } = await store.open();
    const replayerOf = () => ({
      decode: async () => [],
      replay: async ({ bytes }: { bytes: Uint8Array }) => {
        if (Buffer.from(bytes).toString() === 'a') throw new TypeError('a fault');
        return [{ outcome: 'applied' } as const];
      },
    });
    const request = { which: { ids }, force: false, continuation: null };
    const report = await replayDeadLetters({ deadLetters, replayerOf }, request);
    assert.deepEqual(numbersOf(report), { replayed: 1, applied: 1, stillDead: 1 });
    assert.match(report.errors[0]?.detail ?? '', /TypeError: a fault/);
    assert.deepEqual(
      (await letters(store)).map(({ reason, tries }) => [reason, tries]),
      [['undecodable', 1]],
    );
  });

  test('takes of a message with several events only the one that failed', async () => {
    const [hired] = lifeIn('container').map((event) => renderJson(event));
    assert.ok(hired !== undefined);
    const message = hubMessage(hired);
    const ids = await bury(store, 'ces', 'ces', [{ ...message, position: { ...message.position, envelope: 1 } }]);
    const { stillDead, errors } = await replay(store, ids);
    assert.deepEqual([stillDead, errors[0]?.reason, errors[0]?.id], [1, 'undecodable', ids[0]?.id]);
    assert.deepEqual(await rowsIn('container'), { rows: [], changes: 0 });
  });

  test('goes on where a call ended, with what failed left behind', async () => {
    const good = lifeIn('paged').map((event) => hubMessage(renderJson(event)));
    const bad = Array.from({ length: 60 }, (_, index) => hubMessage(Buffer.from(`bad ${index}`)));
    await bury(store, 'ces', 'ces', [...bad, ...good]);
    const first = await replay(store, 'all', { timeLimitMs: -1 });
    assert.deepEqual([first.stillDead + first.replayed, first.remaining], [50, 13]);
    const second = await replay(store, 'all', { continuation: first.continuation, timeLimitMs: -1 });
    assert.deepEqual([first.stillDead + second.stillDead, first.replayed + second.replayed], [60, 3]);
    assert.deepEqual([second.remaining, second.continuation], [0, null]);
    assert.deepEqual((await rowsIn('paged')).rows, ['deleted']);
  });

  test('does the same for a list of ids', async () => {
    const ids = await bury(
      store,
      'ces',
      'ces',
      Array.from({ length: 60 }, (_, index) => hubMessage(Buffer.from(`bad ${index}`))),
    );
    const first = await replay(store, ids, { timeLimitMs: -1 });
    assert.deepEqual([first.stillDead, first.remaining], [50, 10]);
    const second = await replay(store, ids, { continuation: first.continuation });
    assert.deepEqual([second.stillDead, second.remaining, second.continuation], [10, 0, null]);
  });

  test('by two at once, three times, leaves the same as once', async () => {
    const once = lifeIn('once').map((event) => hubMessage(renderJson(event)));
    await replay(store, await bury(store, 'ces', 'ces', once));
    const often = lifeIn('often').map((event) => hubMessage(renderJson(event)));
    const ids = await bury(store, 'ces', 'ces', often);
    for (let round = 0; round < 3; round++) {
      await Promise.all([replay(store, ids), replay(store, ids.toReversed())]);
      await bury(store, 'ces', 'ces', often);
    }
    await replay(store, ids);
    assert.deepEqual(await rowsIn('often'), await rowsIn('once'));
    assert.deepEqual(await letters(store), []);
  });

  test('ends the same whichever write the process dies at, and whether that write got through', async () => {
    const run = async (name: string, bodies: ReturnType<typeof hubMessage>[]) => {
      const ids = await bury(store, 'ces', 'ces', bodies);
      store.proxy.disarm();
      await replay(store, ids);
      return { ids, writes: store.proxy.writes, name };
    };
    const bodiesOf = (name: string) => [
      ...lifeIn(name).map((event) => hubMessage(renderJson(event))),
      hubMessage(Buffer.from(`no event of ${name}`)),
    ];
    const undisturbed = await run('undisturbed', bodiesOf('undisturbed'));
    const expected = await rowsIn('undisturbed');
    const places = [...deaths(undisturbed.writes)];
    for (const { writes, death } of places) {
      const name = `death-${death}-${writes}`;
      const ids = await bury(store, 'ces', 'ces', bodiesOf(name));
      store.proxy.arm(writes, death);
      // Letters are removed while others are replayed: what has been written by a certain place is not always the same.
      const died = await replay(store, ids).catch((error: unknown) => error);
      assert.ok(!(died instanceof Error) || died.name === 'StoreUnavailableError', String(died));
      store.proxy.disarm();
      await replay(store, ids);
      assert.deepEqual(await rowsIn(name), expected, name);
    }
    assert.equal((await letters(store)).length, 1 + places.length, 'only what is no event is still dead');
  });
});

describe('a replay of changes that are older than tombstones live', () => {
  let forgetful: TestStore;
  before(async () => {
    forgetful = await startTestStore({ settings: { TOMBSTONE_TTL_DAYS: '30' } });
  });
  after(() => forgetful.close());

  test('is refused where their row is absent, unless it is forced', async () => {
    const old = { ...EMPLOYEE_8_INSERT, time: '2020-01-01T00:00:00.000Z' };
    const ids = await bury(forgetful, 'ces', 'ces', [hubMessage(renderJson(old))]);
    const refused = await replay(forgetful, ids);
    assert.deepEqual([refused.stillDead, refused.errors[0]?.reason], [1, 'too-old']);
    assert.deepEqual(await forgetful.documents('rows'), []);
    assert.deepEqual(numbersOf(await replay(forgetful, ids, { force: true })), { replayed: 1, applied: 1 });
  });

  test('is not where the row is there', async () => {
    const old = { ...EMPLOYEE_8_UPDATE, time: '2020-01-02T00:00:00.000Z' };
    const ids = await bury(forgetful, 'ces', 'ces', [hubMessage(renderJson(old))]);
    assert.deepEqual(numbersOf(await replay(forgetful, ids)), { replayed: 1, applied: 1 });
  });
});

describe('a dead letter of the change feed', () => {
  test('becomes its rows from the bytes that it keeps', async () => {
    const account = new BlobAccount(new Date('2026-08-07T10:00:00Z'), 6);
    const events = [account.put('pictures', 'a.jpg', { contentLength: 7 }), account.delete('pictures', 'b.jpg')];
    const bytes = Buffer.concat([avroHeader(feedSchema(6)), avroBlock(feedType(6), events)]);
    const position = { chunk: 'log/00/2026/08/07/1000/00000.avro', blockOffset: 4_000, index: 3 };
    const ids = await bury(store, 'blob', 'pictures', [{ position, bytes }]);
    assert.deepEqual(numbersOf(await replay(store, ids)), { replayed: 1, applied: 1 });
    const rows = (await store.documents('rows')).filter(({ source }) => source === 'blob');
    assert.deepEqual(rows.map(({ id, deleted }) => [String(id).replace(/%2F/g, '/'), deleted]).sort(), [
      ['pictures,a.jpg', false],
      ['pictures,b.jpg', true],
    ]);
  });

  test('stays where its bytes are no Avro file', async () => {
    const ids = await bury(store, 'blob', 'pictures', [
      { position: { chunk: 'x', offset: 9 }, bytes: Buffer.from('?') },
    ]);
    const { stillDead, errors } = await replay(store, ids);
    assert.deepEqual([stillDead, errors[0]?.reason, errors[0]?.id], [1, 'undecodable', ids[0]?.id]);
  });
});
