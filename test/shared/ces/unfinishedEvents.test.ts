import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EMPLOYEE_8_INSERT } from '../../../local/samples/employee8.ts';
import { jsonData, jsonEnvelope } from '../../../local/samples/render.ts';
import type { SampleEvent } from '../../../local/samples/sampleEvent.ts';
import { splitEvent } from '../../../local/samples/splitEvent.ts';
import type { HubEvent } from '../../../shared/ces/batch.ts';
import { expireSplitEvents } from '../../../shared/ces/sweep.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import type { DeadLetterDocument } from '../../../shared/store/deadLetters.ts';
import { deaths } from '../deaths.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { consumerOn } from './consumerOn.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore({ settings: { SEGMENTS_PER_EVENT_MAX: '8', BYTES_PER_EVENT_MAX: '20000' } });
});
after(() => store.close());

/** A split event of its own for each test: a logical id nobody else uses. */
function eventNamed(name: string): SampleEvent {
  return { ...EMPLOYEE_8_INSERT, table: { ...EMPLOYEE_8_INSERT.table, tbl: name, logicalPrefix: name } };
}

let position = 0;
function hubEvent(bytes: Uint8Array): HubEvent {
  position++;
  return {
    bytes,
    partition: '0',
    sequenceNumber: position,
    offset: String(position),
    enqueuedAt: '2026-08-07T16:31:00.000Z',
  };
}

async function consume(...bodies: readonly Uint8Array[]): Promise<void> {
  await (await consumerOn(store)).consume(bodies.map(hubEvent));
}

/** Runs the sweep as if the time-out of incomplete events were over. */
async function sweep(): Promise<number> {
  const opened = await store.open();
  const limits = { ...store.config.limits, timeoutMs: -1_000 };
  return expireSplitEvents({ pipeline: new Pipeline(opened, store.config), segments: opened.segments, limits });
}

async function leftOf(name: string) {
  const letters = (await store.documents('deadletters')) as unknown as DeadLetterDocument[];
  const [letter, ...others] = letters.filter(({ detail }) => detail.includes(name));
  assert.deepEqual(others, []);
  const segments = (await store.documents('segments')).filter(({ logicalId }) => String(logicalId).startsWith(name));
  const rows = (await store.documents('rows')).filter(({ table }) => String(table).endsWith(`.${name}`));
  return {
    reason: letter?.reason,
    pieces: letter?.pieces?.map(({ bytes }) => bytes).sort(),
    segments: segments.map(({ kind, state }) => [kind, state]),
    rows: rows.length,
  };
}

const base64 = (bodies: readonly Uint8Array[]) => bodies.map((body) => Buffer.from(body).toString('base64')).sort();

describe('split events that never become whole', () => {
  test('become a dead letter with all their pieces when the time-out is over, and later pieces join it', async () => {
    const [first, second, third, fourth] = splitEvent(eventNamed('late'), { encoding: 'json', base: 0, segments: 4 });
    assert.ok(first && second && third && fourth);
    await consume(first);
    await consume(third);
    assert.equal(await sweep(), 1);
    const expected = { reason: 'segment-timeout', segments: [['manifest', 'dead']], rows: 0 };
    assert.deepEqual(await leftOf('late'), { ...expected, pieces: base64([first, third]) });
    await consume(second, fourth);
    await consume(second);
    assert.deepEqual(await leftOf('late'), { ...expected, pieces: base64([first, second, third, fourth]) });
    assert.equal(await sweep(), 0);
  });

  test('with two contents at one index become a dead letter with all pieces, in one batch or in several', async () => {
    for (const inOneBatch of [true, false]) {
      const name = `conflict-${inOneBatch}`;
      const event = eventNamed(name);
      const [first, second, third] = splitEvent(event, { encoding: 'json', base: 1, segments: 3 });
      assert.ok(first && second && third);
      const forged = jsonEnvelope(
        event,
        { id: 'x', index: 2, final: false },
        JSON.stringify(jsonData(event).slice(3, 40)),
      );
      if (inOneBatch) await consume(first, second, forged);
      else for (const body of [first, second, forged]) await consume(body);
      const expected = { reason: 'segment-conflict', segments: [['manifest', 'dead']], rows: 0 };
      assert.deepEqual(await leftOf(name), { ...expected, pieces: base64([first, second, forged]) });
      await consume(third);
      assert.deepEqual(await leftOf(name), { ...expected, pieces: base64([first, second, forged, third]) });
    }
  });

  test('with a segment after the last one are in conflict with themselves', async () => {
    const event = eventNamed('beyond');
    const pieces = [0, 1, 2].map((index) => jsonEnvelope(event, { id: `${index}`, index, final: index === 1 }, '"x"'));
    const [, last, beyond] = pieces;
    assert.ok(last && beyond);
    await consume(last);
    await consume(beyond);
    assert.equal((await leftOf('beyond')).reason, 'segment-conflict');
  });

  test('with more segments or bytes than the settings allow become dead letters, not memory', async () => {
    const many = splitEvent(eventNamed('many'), { encoding: 'json', base: 0, segments: 12 });
    for (const body of many.slice(0, -1)) await consume(body);
    assert.equal((await leftOf('many')).reason, 'segment-limit');
    const wide = eventNamed('wide');
    const big = { ...wide, current: { ...wide.current, FirstName: 'x'.repeat(30_000) } };
    for (const body of splitEvent(big, { encoding: 'avro', base: 0, segments: 4 }).slice(0, 3)) await consume(body);
    assert.equal((await leftOf('wide')).reason, 'segment-limit');
  });
});

describe('split events that are whole', () => {
  test('in one batch write nothing but the completed manifest', async () => {
    store.proxy.disarm();
    await consume(...splitEvent(eventNamed('direct'), { encoding: 'json', base: 1, segments: 5 }));
    const { segments, rows } = await leftOf('direct');
    assert.deepEqual([segments, rows], [[['manifest', 'complete']], 1]);
  });

  test('start nothing when a piece comes late', async () => {
    const bodies = splitEvent(eventNamed('again'), { encoding: 'avro', base: 0, segments: 5 });
    for (const body of bodies) await consume(body);
    for (const body of [...bodies].reverse()) await consume(body);
    const { segments, rows, pieces } = await leftOf('again');
    assert.deepEqual([segments, rows, pieces], [[['manifest', 'complete']], 1, undefined]);
  });

  test('end the same whichever write the process dies at, and whether that write got through', async () => {
    const run = async (name: string) => {
      const [first, ...others] = splitEvent(eventNamed(name), { encoding: 'json', base: 0, segments: 3 });
      assert.ok(first);
      const batches = [[first], others];
      const consumer = await consumerOn(store);
      for (const batch of batches) await consumer.consume(batch.map(hubEvent));
    };
    store.proxy.disarm();
    await run('undisturbed');
    const total = store.proxy.writes;
    const expected = { reason: undefined, pieces: undefined, segments: [['manifest', 'complete']], rows: 1 };
    assert.deepEqual(await leftOf('undisturbed'), expected);
    for (const { writes, death } of deaths(total)) {
      const name = `death-${death}-${writes}-`;
      store.proxy.arm(writes, death);
      await assert.rejects(run(name), { name: 'StoreUnavailableError' });
      store.proxy.disarm();
      await run(name);
      assert.deepEqual(await leftOf(name), expected, name);
    }
  });
});
