import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonValue } from '../../../shared/change/json.ts';
import { arrivalText } from '../../../shared/ingest/arrivalToken.ts';
import { Parking, type WaitingRecord } from '../../../shared/ingest/parking.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { RequestClock } from '../../../shared/ingest/requestClock.ts';
import type { DeadLetterAddress } from '../../../shared/store/deadLetters.ts';
import type { Store } from '../../../shared/store/store.ts';
import { deliver, TestTable } from '../ingest/changes.ts';
import { loseAllValues } from '../loseAllValues.ts';
import { bury, numbersOf, replay } from '../operate/buried.ts';
import { startTestStore, type TestStore } from '../testStore.ts';

let testStore: TestStore;
let store: Store;
before(async () => {
  testStore = await startTestStore({ blobs: true });
  store = await testStore.open();
});
after(() => testStore.close());

const LARGE = 'l'.repeat(2_100_000);

describe('beside a value in Blob Storage', () => {
  test('a value that looks like the pointer to it stays what was sent, in every container', async () => {
    const table = new TestTable('beside');
    const pipeline = new Pipeline(store, testStore.config);
    const stored = async (name: 'rows' | 'changes') => {
      return (await testStore.documents(name)).find((each) => each.table === table.table) ?? {};
    };
    await pipeline.ingest('ces', 's', deliver([table.insert(1, { id: 1, large: LARGE })]));
    const { row: first } = (await stored('rows')) as { readonly row: { readonly large: JsonValue } };
    const pointer = first.large;
    const row = { id: 1, large: LARGE, same: pointer, nested: [{ a: pointer }], $blob: 'x', sha256: 'y' };
    const insert = table.insert(2, row);
    const update = table.update(3, { id: 1, more: pointer });
    for (const batch of [[insert], [update], [insert, update]]) await pipeline.ingest('ces', 's', deliver(batch));
    assert.deepEqual((await store.tables.row(table.table, '1'))?.row, { ...row, more: pointer });
    assert.deepEqual((await stored('rows')).largeValues, [['row', 'large']]);
    assert.deepEqual((await store.changes.recorded([insert]))[0]?.after, row);

    const position = { attribute: pointer };
    const bytes = Buffer.from('r'.repeat(1_600_000));
    const parking = new Parking(store.parked, pipeline, -1);
    const waiting: WaitingRecord = { waitingFor: 'beside', arrival: arrivalText(1, 0), position, bytes };
    assert.deepEqual(await parking.park('goldengate', 'beside', [waiting], new RequestClock(1)), [
      { outcome: 'parked' },
    ]);
    for await (const [parked] of store.parked.waitingFor('beside')) {
      assert.deepEqual([parked?.position, parked?.bytes], [position, bytes.toString('base64')]);
    }
    assert.equal(await parking.expire(), 1);
    const letter = (await testStore.documents('deadletters')).find(({ stream }) => stream === 'beside');
    const read = await store.deadLetters.read({ stream: 'beside', id: String(letter?.id) });
    assert.deepEqual([read?.document.position, read?.document.bytes], [position, bytes.toString('base64')]);
  });
});

describe('a value that is gone from Blob Storage', () => {
  test('keeps no other record from its turn, and its own becomes a dead letter that names it', async () => {
    const opened = await testStore.open();
    const pipeline = new Pipeline(opened, testStore.config);
    const parking = new Parking(opened.parked, pipeline, -1);
    const texts = ['first', 'lost'.repeat(400_000), 'last'];
    const records = texts.map((text, at): WaitingRecord => {
      return { waitingFor: 'gone', arrival: arrivalText(1, at), position: {}, bytes: Buffer.from(text) };
    });
    await parking.park('goldengate', 'gone', records, new RequestClock(1));
    await loseAllValues(testStore);
    const seen: string[] = [];
    await parking.replay('gone', async (whole) => {
      seen.push(...whole.map(({ bytes }) => String(bytes)));
      return whole.map(() => ({ outcome: 'applied' }));
    });
    assert.deepEqual(seen, ['first', 'last']);
    assert.equal(await parking.expire(), 1);
    const [letter, ...others] = (await testStore.documents('deadletters')).filter(({ stream }) => stream === 'gone');
    const { $blob } = JSON.parse(String(Buffer.from(String(letter?.bytes), 'base64'))) as { readonly $blob: string };
    assert.deepEqual([letter?.reason, letter?.arrival, $blob.length, others], ['no-key', arrivalText(1, 1), 64, []]);
    const report = await replay(testStore, [{ stream: 'gone', id: String(letter?.id) }]);
    assert.deepEqual(numbersOf(report), { stillDead: 1 });
  });

  test('keeps no other dead letter from being replayed', async () => {
    const ids: DeadLetterAddress[] = [];
    for (const text of ['before', 'b'.repeat(1_100_000), 'after']) {
      ids.push(...(await bury(testStore, 'goldengate', 'buried', [{ position: {}, bytes: Buffer.from(text) }])));
      await delay(2);
    }
    await loseAllValues(testStore);
    const report = await replay(testStore, ids);
    assert.deepEqual(numbersOf(report), { stillDead: 3 });
    const reasons = new Map(report.errors.map(({ id, reason }) => [id, reason]));
    assert.deepEqual(
      ids.map(({ id }) => reasons.get(id)),
      ['undecodable', 'bytes-gone', 'undecodable'],
    );
  });
});
