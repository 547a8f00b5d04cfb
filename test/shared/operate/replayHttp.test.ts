import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { arrivalText } from '../../../shared/ingest/arrivalToken.ts';
import { instanceOn, post as postGoldenGate } from '../goldengate/consumerOn.ts';
import { consumerOn, post as postQlik } from '../qlik/consumerOn.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { bury, letters, numbersOf, replay } from './buried.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore({ settings: { TOMBSTONE_TTL_DAYS: '3650', PARKED_TIMEOUT_HOURS: '0.0000001' } });
});
after(() => store.close());

const addressOf = ({ stream, id }: { stream: string; id: string }) => ({ stream, id });

async function rowsOf(stream: string) {
  return (await store.documents('rows')).filter((row) => row.stream === stream).map(({ row }) => row);
}

async function lettersOf(stream: string) {
  return (await letters(store)).filter((letter) => letter.stream === stream);
}

describe('dead letters of GoldenGate', () => {
  const update = (name: string) => ({
    qual_table: 'S.T',
    op_type: 'U',
    op_ts: '2026-08-07T10:00:00.000000Z',
    pos: `G-${name}`,
    primary_keys: ['ID'],
    after: { ID: 1, NAME: name },
  });

  test('keep the arrival that they had: what came after them stays', async () => {
    const bytes = Buffer.from(JSON.stringify(update('first')));
    const arrival = arrivalText(Date.parse('2026-08-07T10:00:01Z'), 3);
    const ids = await bury(store, 'goldengate', 'pos', [{ position: {}, bytes, arrival }]);
    const { consumer } = await instanceOn(store, 'pos');
    assert.equal((await postGoldenGate(consumer, 'pos', update('second'))).status, 200);
    assert.deepEqual(numbersOf(await replay(store, ids)), { replayed: 1, stale: 1 });
    assert.deepEqual(await rowsOf('pos'), [{ ID: 1, NAME: 'second' }]);
    const change = (await store.documents('changes')).find(({ after }) => JSON.stringify(after).includes('first'));
    assert.ok(String(change?.token).includes(`~${arrival}:`), String(change?.token));
  });

  test('of records that waited in vain make their rows when the key is known', async () => {
    const { consumer, parking } = await instanceOn(store, 'slow');
    const { primary_keys: _, ...record } = update('waited');
    await postGoldenGate(consumer, 'slow', record);
    await delay(5);
    assert.equal(await parking.expire(), 1);
    const [letter] = await lettersOf('slow');
    assert.equal(letter?.reason, 'no-key');
    assert.ok(letter !== undefined);
    assert.deepEqual(numbersOf(await replay(store, [addressOf(letter)])), { replayed: 1, parked: 1 });
    await delay(5);
    await parking.expire();
    const columns = {
      ID: { type: 'number', null: false, key: true },
      NAME: { type: 'string', null: true, key: false },
    };
    await postGoldenGate(consumer, 'slow', { op_type: 'OBJECT_METADATA', qual_table: 'S.T', columns });
    assert.deepEqual(numbersOf(await replay(store, (await lettersOf('slow')).map(addressOf))), {
      replayed: 1,
      applied: 1,
    });
    assert.deepEqual(await rowsOf('slow'), [{ ID: 1, NAME: 'waited' }]);
    assert.deepEqual(await lettersOf('slow'), []);
  });
});

describe('dead letters of Qlik', () => {
  const change = {
    magic: 'atMSG',
    type: 'DT',
    headers: null,
    messageSchemaId: null,
    messageSchema: null,
    message: {
      data: { ID: 7, NAME: 'x' },
      beforeData: null,
      headers: {
        operation: 'INSERT',
        changeSequence: '20260807163510830000000000000000009',
        timestamp: '2026-08-07T16:35:10.830',
        streamPosition: '1',
        transactionId: '2',
        changeMask: '03',
        columnMask: '03',
        transactionEventCounter: 1,
        transactionLastEvent: true,
      },
    },
  };

  test('that cannot be read stay, with their try counted', async () => {
    const ids = await bury(store, 'qlik', 'hr', [{ position: {}, bytes: Buffer.from('{"message": 7}') }]);
    assert.deepEqual(numbersOf(await replay(store, ids)), { stillDead: 1 });
    assert.deepEqual(
      (await lettersOf('hr')).map(({ tries }) => tries),
      [1],
    );
  });

  test('of records that waited in vain wait again, and make their rows when the table is known', async () => {
    const bytes = Buffer.from(JSON.stringify({ ...change, message: { ...change.message, schemaId: 'v1' } }));
    const ids = await bury(store, 'qlik', 'hr2', [{ position: {}, bytes }]);
    const first = numbersOf(await replay(store, ids));
    assert.deepEqual(first, { replayed: 1, parked: 1 });
    const consumer = await consumerOn(store, 'hr2');
    const parked = (await store.documents('parked')).filter(({ stream }) => stream === 'hr2');
    assert.equal(parked.length, 1);
    assert.equal((await postQlik(consumer, 'hr2', '[]')).status >= 200, true);
  });
});
