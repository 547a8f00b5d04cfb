import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sweepGoldenGate } from '../../../shared/goldengate/sweep.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { countsOf, instanceOn, post } from './consumerOn.ts';
import { newStreamOn } from './newStream.ts';
import { METADATA, record } from './records.ts';

/** Without Blob Storage: whoever tried to read a value from there would fail. */
let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const POINTER = { $blob: 'x', bytes: 3, sha256: 'y' };
/** Rows whose values, names of columns, or values inside values look as what the store writes for a large value. */
const LOOK_ALIKES = [
  { ID: 1, A: POINTER },
  { ID: 2, A: [{ b: POINTER }], B: { ...POINTER, more: POINTER } },
  { ID: 3, ...POINTER, largeValues: [['row', 'A'], ['A']] },
];
const inserts = () => LOOK_ALIKES.map((after) => record('INSERT', 1, { after }));
const asRows = Object.fromEntries(LOOK_ALIKES.map((row) => [row.ID, row]));

/** A list with an attribute that looks like a pointer around it. */
const inCloudEvent = (data: readonly object[]) => {
  return { specversion: '1.0', type: 't', source: 's', id: '1', ext: POINTER, data };
};

describe('what looks like a pointer to a large value', () => {
  test('is a value like any other: applied, changed, moved, and known when it comes again', async () => {
    const { post: send, rows } = await newStreamOn(store);
    const body = inserts();
    assert.deepEqual(await send([METADATA, ...body]), { catalog: 1, applied: 3 });
    assert.deepEqual(await send(body), { duplicate: 3 });
    assert.deepEqual(await rows(), asRows);
    const moves = [
      record('UPDATE', 2, { before: { ID: 1, A: POINTER }, after: { ID: 4 } }),
      record('UPDATE', 2, { before: { ID: 4, A: POINTER }, after: { ID: 5 } }),
      record('UPDATE', 3, { before: { ID: 3 }, after: { ID: 3, A: POINTER } }),
    ];
    assert.deepEqual(await send(moves), { applied: 3 });
    assert.deepEqual(await send(moves), { duplicate: 3 });
    assert.deepEqual(await rows(), {
      1: 'deleted',
      2: LOOK_ALIKES[1],
      3: { ...LOOK_ALIKES[2], A: POINTER },
      4: 'deleted',
      5: { ID: 5, A: POINTER },
    });
  });

  test('waits for its key like any other, and the sweep and the time-out get past it', async () => {
    const { stream, post: send, rows } = await newStreamOn(store);
    assert.deepEqual(await send(inCloudEvent(inserts())), { parked: 3 });
    const { consumer, parking, truncations } = await instanceOn(store, stream);
    await sweepGoldenGate({ parking, truncations, consumerOf: () => consumer });
    assert.deepEqual(await send(METADATA), { catalog: 1 });
    assert.deepEqual(await rows(), asRows);

    const { stream: late, post: sendLate } = await newStreamOn(store);
    const body = inCloudEvent([record('INSERT', 1, { after: { ID: 1, A: POINTER } })]);
    assert.deepEqual(await sendLate(body), { parked: 1 });
    assert.equal(await (await instanceOn(store, late, {}, -1)).parking.expire(), 1);
    const [letter] = (await store.documents('deadletters')).filter((each) => each.stream === late);
    assert.equal(letter?.reason, 'no-key');
    const opened = await store.open();
    const read = await opened.deadLetters.read({ stream: late, id: String(letter?.id) });
    const { cloudEvent } = read?.document.position ?? {};
    assert.deepEqual((cloudEvent as { readonly ext: unknown }).ext, POINTER);
  });

  test('keeps no other stream from its turn in the sweep, nor does a stream whose replay fails', async () => {
    const [bad, good] = [await newStreamOn(store), await newStreamOn(store)];
    for (const { post: send } of [bad, good]) assert.deepEqual(await send(inserts()), { parked: 3 });
    const { parking, truncations } = await instanceOn(store, good.stream);
    const seen: string[] = [];
    const sweep = sweepGoldenGate({
      parking,
      truncations,
      consumerOf(stream) {
        seen.push(stream);
        throw new RangeError(`no ${stream}`);
      },
    });
    await assert.rejects(sweep, { name: 'AggregateError', message: /^no s\d+; no s\d+$/ });
    assert.deepEqual(seen.sort(), [bad.stream, good.stream].sort());
  });

  test('is answered as such by another instance, also where the list around it is sent again', async () => {
    const { stream, post: send } = await newStreamOn(store);
    const body = inCloudEvent(inserts());
    assert.deepEqual(await send([METADATA]), { catalog: 1 });
    const { consumer } = await instanceOn(store, stream);
    assert.deepEqual(countsOf(await post(consumer, stream, body)), { applied: 3 });
    assert.deepEqual(await send(body), { duplicate: 3 });
  });
});
