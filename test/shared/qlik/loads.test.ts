import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Loads } from '../../../shared/qlik/loads.ts';
import { NO_SEQUENCE } from '../../../shared/qlik/sequence.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { sequenceOf } from './messages.ts';

const START_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

async function loadsOf(stream: string): Promise<Loads> {
  return new Loads((await store.open()).catalog, stream);
}

const captured = (at: number) => ({ kind: 'captured', sequence: sequenceOf(at) }) as const;
const row = (table: string, minutes: number) =>
  ({ kind: 'load', table, arrivedMs: START_MS + minutes * MINUTE_MS }) as const;

/** Number and base of the load of a table. */
async function loadOf(loads: Loads, table: string, ...sightings: Parameters<Loads['record']>[0]) {
  const recorded = [...(await loads.record(sightings))];
  const found = recorded.find(([sighting]) => sighting.kind === 'load' && sighting.table === table);
  return [found?.[1].load, found?.[1].base];
}

describe('the load that a row belongs to', () => {
  test('begins with the first row, goes on while rows follow each other, and ends with a pause of more than 15 minutes', async () => {
    const loads = await loadsOf('pauses');
    const found = [];
    for (const minutes of [0, 14, 29, 44.5, 60]) found.push(await loadOf(loads, 't', row('t', minutes)));
    assert.deepEqual(
      found,
      [1, 1, 1, 2, 3].map((load) => [load, NO_SEQUENCE]),
    );
  });

  test('has the greatest sequence that the stream had shown when it began, through whichever instance', async () => {
    const [one, other] = await Promise.all([loadsOf('instances'), loadsOf('instances')]);
    await one.record([captured(7), captured(5)]);
    assert.deepEqual(await loadOf(other, 't', captured(6), row('t', 0), captured(9)), [1, sequenceOf(7)]);
    assert.deepEqual(await loadOf(one, 't', captured(12), row('t', 1)), [1, sequenceOf(7)]);
    assert.deepEqual(await loadOf(one, 'u', row('u', 1)), [1, sequenceOf(12)]);
    assert.deepEqual(await loadOf(other, 't', row('t', 30)), [2, sequenceOf(12)]);
  });

  test('is the same for requests that race', async () => {
    const racing = await Promise.all(Array.from({ length: 6 }, () => loadsOf('race')));
    const found = await Promise.all(
      racing.map((loads, at) => loadOf(loads, 't', captured(3), row('t', at / 100), captured(10 + at))),
    );
    assert.equal(new Set(found.map(([, base]) => base)).size, 1);
    assert.deepEqual(new Set(found.map(([load]) => load)), new Set([1]));
    assert.equal(await (await loadsOf('race')).greatest(), sequenceOf(15));
  });

  test('of rows that waited together is that of each, an older one than the latest too', async () => {
    const loads = await loadsOf('together');
    await loads.record([captured(3), row('t', 60)]);
    const waited = [0, 1, 30, 61].map((minutes) => ({ ...row('t', minutes), shown: sequenceOf(minutes) }));
    const recorded = await loads.record(waited);
    assert.deepEqual(
      waited.map((sighting) => [recorded.get(sighting)?.load, recorded.get(sighting)?.base]),
      [
        [2, sequenceOf(0)],
        [2, sequenceOf(0)],
        [3, sequenceOf(30)],
        [1, sequenceOf(3)],
      ],
    );
  });

  test('of a row that had to wait begins after what the stream had shown when the row came', async () => {
    const loads = await loadsOf('waited');
    await loads.record([captured(50)]);
    const waited = { ...row('t', 0), shown: sequenceOf(20) };
    assert.deepEqual(await loadOf(loads, 't', captured(10), waited), [1, sequenceOf(20)]);
    await loads.noteReplayed('w', sequenceOf(10));
    await loads.noteReplayed('w', sequenceOf(8));
    assert.equal(await (await loadsOf('waited')).replayed('w'), sequenceOf(10));
  });
});
