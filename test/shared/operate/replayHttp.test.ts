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
    messageSchemaId: 'v1',
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

  const metadata = {
    ...change,
    type: 'MD',
    message: {
      schemaId: 'v1',
      lineage: { server: 's', task: 't', schema: 'hr', table: 'people', tableVersion: 1, timestamp: 'x' },
      tableStructure: {
        tableColumns: {
          ID: { ordinal: 1, type: 'INT4', primaryKeyPosition: 1, nullable: false },
          NAME: { ordinal: 2, type: 'WSTRING', primaryKeyPosition: 0, nullable: true },
        },
      },
      dataSchema: null,
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

  test('that cannot be read keep the order in which they came', async () => {
    const consumer = await consumerOn(store, 'hr4');
    await postQlik(consumer, 'hr4', JSON.stringify([1, 2, 3].map((message) => ({ message }))));
    await delay(2);
    await postQlik(consumer, 'hr4', '{"message": 4}');
    const { deadLetters } = await store.open();
    const { items } = await deadLetters.list({ stream: 'hr4' }, { limit: 9, continuation: null, order: 'turn' });
    const found = await Promise.all(items.map((each) => deadLetters.read(each)));
    const texts = found.map((each) => Buffer.from(each?.document.bytes ?? '', 'base64').toString());
    assert.deepEqual(texts, ['{"message":1}', '{"message":2}', '{"message":3}', '{"message": 4}']);
  });

  test('of records that waited in vain wait again, and make their rows when the table is known', async () => {
    const ids = await bury(store, 'qlik', 'hr2', [{ position: {}, bytes: Buffer.from(JSON.stringify(change)) }]);
    assert.deepEqual(numbersOf(await replay(store, ids)), { replayed: 1, parked: 1 });
    assert.deepEqual(await lettersOf('hr2'), []);
    const consumer = await consumerOn(store, 'hr2');
    assert.equal((await postQlik(consumer, 'hr2', JSON.stringify(metadata))).status, 200);
    assert.deepEqual(await rowsOf('hr2'), [{ ID: 7, NAME: 'x' }]);
  });

  test('keep the arrival that they had: a row of a load that came later stays', async () => {
    const consumer = await consumerOn(store, 'hr3');
    const refresh = (name: string) => {
      const headers = { ...change.message.headers, operation: 'REFRESH', changeSequence: '', changeMask: null };
      return JSON.stringify({
        ...change,
        messageSchemaId: 'v1',
        message: { ...change.message, data: { ID: 7, NAME: name }, headers },
      });
    };
    assert.equal((await postQlik(consumer, 'hr3', JSON.stringify(metadata))).status, 200);
    const arrival = arrivalText(Date.now() - 1_000, 0);
    const ids = await bury(store, 'qlik', 'hr3', [{ position: {}, bytes: Buffer.from(refresh('earlier')), arrival }]);
    assert.equal((await postQlik(consumer, 'hr3', refresh('later'))).status, 200);
    assert.deepEqual(numbersOf(await replay(store, ids)), { replayed: 1, stale: 1 });
    assert.deepEqual(await rowsOf('hr3'), [{ ID: 7, NAME: 'later' }]);
  });
});
