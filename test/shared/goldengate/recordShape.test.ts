import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '../../../shared/change/json.ts';
import { divideRecord } from '../../../shared/goldengate/dividedRecord.ts';
import { fieldNames } from '../../../shared/goldengate/fieldNames.ts';
import type { JsonObject } from '../../../shared/goldengate/members.ts';
import { RecordShape } from '../../../shared/goldengate/recordShape.ts';
import { RecordShapes } from '../../../shared/goldengate/recordShapes.ts';

const FIELDS = fieldNames({ tokens: 'table' });
const DELIMITER = '.';
/** Enough for code to be made for a shape. */
const OFTEN = 200;

const name = fc.oneof(
  fc.constantFrom('before', 'after', 'before.A', 'after.A', 'after.', 'op_ts', 'pos', 'xid', 'tokens', 'table', 'A'),
  fc.constantFrom(
    '__proto__',
    'after.__proto__',
    'constructor',
    'A_isMissing',
    '7',
    '"]; throw 1; //',
    '\u2028',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const names = fc.uniqueArray(name, { maxLength: 12 });
const value: fc.Arbitrary<JsonValue> = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;

function named(members: readonly string[], values: readonly JsonValue[]): JsonObject {
  return Object.fromEntries(members.map((member, at) => [member, values[at % values.length] ?? null]));
}

const values = fc.array(value, { minLength: 1, maxLength: 12 });

describe('a record is divided by its shape', () => {
  test('the thousandth time as the first, whatever its members are called', () => {
    fc.assert(
      fc.property(names, values, values, (members, some, others) => {
        const [record, other] = [named(members, some), named(members, others)];
        const shape = new RecordShape(record, FIELDS, DELIMITER);
        assert.ok(shape.fits(other));
        for (let use = 0; use < OFTEN; use++) shape.divide(record);
        for (const each of [record, other]) assert.deepEqual(shape.divide(each), divideRecord(each, FIELDS, DELIMITER));
      }),
    );
  });

  test('and nothing of it is lost', () => {
    fc.assert(
      fc.property(names, values, (members, some) => {
        const record = named(members, some);
        const prefixed = (image: JsonValue, prefix: string) =>
          Object.entries(image ?? {}).map(([column, each]): [string, JsonValue] => [prefix + column, each]);
        const { layout, before, after, origin } = divideRecord(record, FIELDS, DELIMITER);
        const images = {
          nested: [
            ...('before' in record ? [['before', before]] : []),
            ...('after' in record ? [['after', after]] : []),
          ],
          flattened: [...prefixed(before, 'before.'), ...prefixed(after, 'after.')],
          row: prefixed(after, ''),
        };
        assert.deepEqual(Object.fromEntries([...Object.entries(origin), ...images[layout]]), record);
      }),
    );
  });

  test('when records of many shapes and tables come in any order', () => {
    const shapes = fc.array(fc.tuple(names, fc.constantFrom('A', 'B')), { minLength: 1, maxLength: 8 });
    const order = fc.array(fc.nat(7), { minLength: 1, maxLength: OFTEN });
    fc.assert(
      fc.property(shapes, order, values, (kinds, sequence, some) => {
        const known = new RecordShapes(FIELDS, DELIMITER);
        for (const at of [...sequence, ...sequence]) {
          const [members, table] = kinds[at % kinds.length] ?? [[], 'A'];
          const record = { ...named(members, some.slice(at % some.length)), qual_table: table };
          assert.deepEqual(known.divide(record), divideRecord(record, FIELDS, DELIMITER));
        }
      }),
    );
  });

  test('when there are more tables than are remembered', () => {
    const known = new RecordShapes(FIELDS, DELIMITER);
    for (let round = 0; round < 2; round++) {
      for (let table = 0; table < 1_500; table++) {
        const record = { table: `T${table}`, op_type: 'I', [`C${table}`]: round };
        const { after, origin } = known.divide(record);
        assert.deepEqual(
          { after, origin },
          { after: { [`C${table}`]: round }, origin: { table: `T${table}`, op_type: 'I' } },
        );
      }
    }
  });

  test('when it has more members than code is made for', () => {
    const record = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`C${at}`, at]));
    const known = new RecordShapes(FIELDS, DELIMITER);
    for (let use = 0; use < 100; use++) assert.deepEqual(known.divide(record).after, record);
  });
});
