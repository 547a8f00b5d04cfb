import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fieldNames } from '../../../shared/goldengate/fieldNames.ts';
import { RecordShapes } from '../../../shared/goldengate/recordShapes.ts';
import { type TableTraits, TableTraitsCache } from '../../../shared/goldengate/tableTraits.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MB = 1e6;
/** What is sent in all, per case. */
const SENT_MB = 40;
/** What is remembered of a stream, and what the engine itself keeps of the last texts that it has seen. */
const MAX_REMEMBERED_MB = 16;

/** What `use` leaves behind on the heap, in MB. Whatever it returns is still there when that is measured. */
function remembered(use: () => object): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = use();
  collectGarbage();
  const after = process.memoryUsage().heapUsed;
  assert.ok(kept);
  return (after - before) / MB;
}

describe('what a stream remembers of its tables does not grow with the length of names', () => {
  for (const { what, names, length } of [
    { what: 'a few very long ones', names: 4, length: 500_000 },
    { what: 'long ones', names: 1_000, length: 4_000 },
    { what: 'ones that may just be', names: 90, length: 1_000 },
  ]) {
    test(`of columns: ${what}`, () => {
      const shapes = new RecordShapes(fieldNames({}), '.');
      const left = remembered(() => {
        const records = Math.ceil((SENT_MB * MB) / (names * length));
        for (let record = 0; record < records; record++) {
          const columns = Array.from({ length: names }, (_, at) => [`${record} ${at} `.padEnd(length, 'x'), 1]);
          const sent = JSON.stringify({ table: `S.T${record % 500}`, op_type: 'I', ...Object.fromEntries(columns) });
          assert.equal(Object.keys(shapes.divide(JSON.parse(sent)).after ?? {}).length, names);
        }
        return shapes;
      });
      assert.ok(left < MAX_REMEMBERED_MB, `${left} MB`);
    });
  }

  const make = (name: string, knowledge: TableTraits['knowledge']): TableTraits => {
    return {
      name,
      knowledge,
      table: `goldengate/s/${name}`,
      identityStart: `s\n${name}`,
      columns: [],
      ambiguous: undefined,
    };
  };

  test('of tables', () => {
    const cache = new TableTraitsCache(make);
    const nothing = { key: undefined, columns: [], types: {} };
    const left = remembered(() => {
      for (let table = 0; table < SENT_MB; table++) cache.of(Buffer.alloc(MB, `T${table} `).toString(), nothing);
      return cache;
    });
    assert.ok(left < MAX_REMEMBERED_MB, `${left} MB`);
  });

  test('nor with what is known of tables that earlier requests were about', () => {
    const cache = new TableTraitsCache(make);
    const left = remembered(() => {
      for (let table = 0; table < SENT_MB; table++) {
        const columns = [Buffer.alloc(MB, `C${table} `).toString()];
        const knowledge = { key: undefined, columns, types: {} };
        const traits = cache.of(`T${table}`, knowledge);
        assert.equal(cache.of(`T${table}`, knowledge), traits);
      }
      return cache;
    });
    assert.ok(left < MAX_REMEMBERED_MB, `${left} MB`);
  });
});
