import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EMPLOYEE_8_INSERT } from '../../../local/samples/employee8.ts';
import { jsonData, jsonEnvelope } from '../../../local/samples/render.ts';
import type { SampleEvent } from '../../../local/samples/sampleEvent.ts';
import { splitEvent } from '../../../local/samples/splitEvent.ts';
import { CesReplayer } from '../../../shared/ces/replay.ts';
import { expireSplitEvents } from '../../../shared/ces/sweep.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { replayDeadLetters } from '../../../shared/operate/replay.ts';
import { deaths } from '../deaths.ts';
import { hubMessage, letters, numbersOf, replay } from '../operate/buried.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { consumerOn } from './consumerOn.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore({ settings: { TOMBSTONE_TTL_DAYS: '3650' } });
});
after(() => store.close());

function piecesOf(name: string, segments = 4): readonly Uint8Array[] {
  return splitEvent(eventNamed(name), { encoding: 'json', base: 0, segments });
}

function eventNamed(name: string): SampleEvent {
  return { ...EMPLOYEE_8_INSERT, table: { ...EMPLOYEE_8_INSERT.table, tbl: name, logicalPrefix: name } };
}

async function consume(...bodies: readonly Uint8Array[]): Promise<void> {
  const events = bodies.map((body) => ({ ...placeOf(hubMessage(body)), bytes: body }));
  await (await consumerOn(store)).consume(events);
}

function placeOf({ position }: ReturnType<typeof hubMessage>) {
  const { partition, sequenceNumber, offset, enqueuedAt } = position;
  return {
    partition: String(partition),
    sequenceNumber: Number(sequenceNumber),
    offset: String(offset),
    enqueuedAt: String(enqueuedAt),
  };
}

/** As if the time-out of incomplete events were over. */
async function expire(): Promise<number> {
  const opened = await store.open();
  const limits = { ...store.config.limits, timeoutMs: -1_000 };
  return expireSplitEvents({ pipeline: new Pipeline(opened, store.config), segments: opened.segments, limits });
}

async function letterOf(name: string) {
  const [letter] = (await letters(store)).filter(({ detail }) => detail.includes(name));
  return letter;
}

async function idOf(name: string) {
  const letter = await letterOf(name);
  assert.ok(letter !== undefined, `a dead letter of ${name}`);
  return { stream: letter.stream, id: letter.id };
}

async function leftOf(name: string) {
  const segments = (await store.documents('segments')).filter(({ logicalId }) => String(logicalId).startsWith(name));
  const rows = (await store.documents('rows')).filter(({ table }) => String(table).endsWith(`.${name}`));
  return {
    letter: (await letterOf(name))?.reason,
    segments: segments.map(({ kind, state }) => (kind === 'segment' ? 'segment' : state)).sort(),
    rows: rows.length,
  };
}

const DONE = { letter: undefined, segments: ['complete'], rows: 1 };

describe('replaying a split event that was given up', () => {
  test('puts its pieces back, and the one that was late completes it', async () => {
    const [first, second, third, fourth] = piecesOf('late');
    assert.ok(first && second && third && fourth);
    await consume(first, third, fourth);
    assert.equal(await expire(), 1);
    assert.deepEqual(numbersOf(await replay(store, [await idOf('late')])), { replayed: 1, segments: 1 });
    const held = { letter: undefined, segments: ['incomplete', 'segment', 'segment', 'segment'], rows: 0 };
    assert.deepEqual(await leftOf('late'), held);
    await consume(second);
    assert.deepEqual(await leftOf('late'), DONE);
    await consume(first);
    assert.deepEqual(await leftOf('late'), DONE);
  });

  test('can be given up and taken up again and again', async () => {
    const [first, second] = piecesOf('again', 2);
    assert.ok(first && second);
    await consume(first);
    for (let life = 0; life < 3; life++) {
      assert.equal(await expire(), 1);
      assert.deepEqual(await leftOf('again'), { letter: 'segment-timeout', segments: ['dead'], rows: 0 });
      await replay(store, [await idOf('again')]);
      assert.deepEqual(await leftOf('again'), { letter: undefined, segments: ['incomplete', 'segment'], rows: 0 });
    }
    await consume(second);
    assert.deepEqual(await leftOf('again'), DONE);
  });

  test('makes the row when the missing piece has joined the dead letter', async () => {
    const [first, ...others] = piecesOf('joined');
    assert.ok(first);
    await consume(first);
    await expire();
    await consume(...others);
    assert.deepEqual(numbersOf(await replay(store, [await idOf('joined')])), { replayed: 1, applied: 1 });
    assert.deepEqual(await leftOf('joined'), DONE);
  });

  test('leaves two contents at one index where they are, with the try counted once', async () => {
    const [first, second] = piecesOf('conflict');
    assert.ok(first && second);
    const data = JSON.stringify(jsonData(eventNamed('conflict')).slice(3, 40));
    await consume(first, second, jsonEnvelope(eventNamed('conflict'), { id: 'x', index: 1, final: false }, data));
    const id = await idOf('conflict');
    for (const tries of [1, 2]) {
      const { stillDead, errors } = await replay(store, [id]);
      assert.deepEqual([stillDead, errors[0]?.reason], [1, 'segment-conflict']);
      const letter = await letterOf('conflict');
      assert.deepEqual([letter?.tries, letter?.pieces?.length], [tries, 3]);
    }
    assert.deepEqual(await leftOf('conflict'), { letter: 'segment-conflict', segments: ['dead'], rows: 0 });
  });

  test('takes a piece along that joins the letter in the middle of it', async () => {
    const [first, second, third] = piecesOf('meanwhile', 3);
    assert.ok(first && second && third);
    await consume(first, second);
    await expire();
    const id = await idOf('meanwhile');
    const opened = await store.open();
    const pipeline = new Pipeline(opened, store.config);
    const [stream] = store.config.streams.ces;
    assert.ok(stream !== undefined);
    const limits = { ...store.config.limits, timeoutMs: store.config.segmentTimeoutMs };
    const replayer = new CesReplayer(stream, { pipeline, ...opened, segments: opened.segments, limits });
    let joined = false;
    const report = await replayDeadLetters(
      {
        deadLetters: opened.deadLetters,
        replayerOf: () => ({
          decode: (record) => replayer.decode(record),
          // Another instance had seen the event dead, and adds its piece to a letter that is being replayed.
          async replay(record) {
            const outcomes = await replayer.replay(record);
            if (!joined) {
              joined = true;
              const verdict = { source: 'ces', stream: 'ces', reason: 'segment-timeout', detail: 'x' } as const;
              const scope = 'ces:0000';
              const logicalId = `meanwhile:000000B1000008A80007:00000000000000000001`;
              await pipeline.deadLetterPieces(verdict, `${scope}/${logicalId}`, [hubMessage(third)]);
            }
            return outcomes;
          },
        }),
      },
      { which: { ids: [id] }, force: false, continuation: null },
    );
    assert.deepEqual(numbersOf(report), { replayed: 1, applied: 1 });
    assert.deepEqual(await leftOf('meanwhile'), DONE);
    assert.deepEqual(await opened.deadLetters.read(id), undefined);
  });

  test('ends the same whichever write the process dies at, and whether that write got through', async () => {
    const bury = async (name: string) => {
      const [first, second, third] = piecesOf(name, 3);
      assert.ok(first && second && third);
      await consume(first, second);
      await expire();
      return { id: await idOf(name), third };
    };
    const undisturbed = await bury('undisturbed');
    store.proxy.disarm();
    await replay(store, [undisturbed.id]);
    const total = store.proxy.writes;
    await consume(undisturbed.third);
    assert.deepEqual(await leftOf('undisturbed'), DONE);
    for (const { writes, death } of deaths(total)) {
      const name = `death-${death}-${writes}-`;
      const { id, third } = await bury(name);
      store.proxy.arm(writes, death);
      await assert.rejects(replay(store, [id]), { name: 'StoreUnavailableError' });
      store.proxy.disarm();
      await replay(store, [id]);
      await consume(third);
      assert.deepEqual(await leftOf(name), DONE, name);
    }
  });
});
