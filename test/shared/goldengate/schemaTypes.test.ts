import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonValue } from '../../../shared/change/json.ts';
import { fieldNames } from '../../../shared/goldengate/fieldNames.ts';
import type { JsonObject } from '../../../shared/goldengate/members.ts';
import { schemaTypes } from '../../../shared/goldengate/schemaTypes.ts';

const ID = 'urn:x:dml:S.T';
const FIELDS = fieldNames({});
const TYPES = { ID: 'number', A: 'string' };

function typesIn(schema: JsonObject, id = ID, fields = FIELDS) {
  return schemaTypes(id, schema, fields, '.');
}

/** Ways to declare that a column is of `type`, or null. */
const COLUMNS: { readonly [way: string]: (type: string) => JsonValue } = {
  plain: (type) => ({ type }),
  'with null': (type) => ({ type: ['null', type] }),
  anyOf: (type) => ({ anyOf: [{ type }, { type: 'null' }] }),
  oneOf: (type) => ({ oneOf: [{ type: 'null' }, { type: [type, 'null'] }] }),
  reference: (type) => ({ $ref: `#/definitions/a~1${type}` }),
  'reference to a reference': (type) => ({ anyOf: [{ $ref: `#/definitions/again/${type}` }, { type: 'null' }] }),
};
const DEFINITIONS = {
  'a/number': { type: 'number' },
  'a/string': { type: 'string' },
  again: { number: { $ref: '#/definitions/a~1number' }, string: { $ref: '#/definitions/a~1string' } },
};

/** Ways to lay out a schema of rows, with the columns that `column` declares. */
const LAYOUTS: { readonly [way: string]: (columns: JsonObject) => JsonObject } = {
  nested: (properties) => ({ properties: { before: { type: ['object', 'null'], properties }, after: { properties } } }),
  'nested, by reference': (properties) => ({
    $defs: { row: { type: 'object', properties } },
    properties: { after: { oneOf: [{ $ref: '#/$defs/row' }, { type: 'null' }] } },
  }),
  flattened: ({ ID: id = null, A: a = null }) => ({ properties: { 'before.ID': id, 'after.ID': id, 'after.A': a } }),
  'row model': (columns) => ({
    properties: { qual_table: { type: 'string' }, op_type: { type: 'string' }, csn: { type: 'number' }, ...columns },
  }),
};

describe('the schema of the rows of a table', () => {
  test('tells the types of its columns, in every layout of its records and every way to declare one', () => {
    for (const [layout, schemaOf] of Object.entries(LAYOUTS)) {
      for (const [way, column] of Object.entries(COLUMNS)) {
        const schema = { definitions: DEFINITIONS, ...schemaOf({ ID: column('number'), A: column('string') }) };
        assert.deepEqual([layout, way, typesIn(schema)], [layout, way, { name: 'S.T', types: TYPES }]);
      }
    }
  });

  test('tells them also where it keeps the default names of fields that are renamed', () => {
    const renamed = fieldNames({ before: 'old', after: 'new', qual_table: 'tbl' });
    const image = { type: 'object', properties: { ID: { type: 'number' } } };
    const expected = { name: 'X.Y', types: { ID: 'number' } };
    assert.deepEqual(typesIn({ properties: { tbl: { const: 'X.Y' }, new: image } }, ID, renamed), expected);
    assert.deepEqual(typesIn({ properties: { qual_table: { enum: ['X.Y'] }, after: image } }, ID, renamed), expected);
  });

  test('tells nothing of columns that may be of several types, or of none that is a scalar', () => {
    const properties = {
      ID: { type: 'number' },
      A: { type: ['number', 'string'] },
      B: { anyOf: [{ type: 'number' }, { type: 'string' }] },
      C: { type: 'object' },
      D: { $ref: 'https://example.com/elsewhere' },
      E: { $ref: '#/definitions/nowhere' },
      F: { enum: [1] },
      G: true,
    };
    assert.deepEqual(typesIn({ properties: { after: { properties } } }), { name: 'S.T', types: { ID: 'number' } });
    assert.equal(typesIn({ properties: { after: { type: 'object' }, note: { type: 'string' } } }), undefined);
  });

  test('may refer in circles', () => {
    const definitions = { a: { $ref: '#/definitions/b' }, b: { anyOf: [{ $ref: '#/definitions/a' }, { $ref: '#' }] } };
    const properties = { ID: { $ref: '#/definitions/a' }, A: { type: 'string' }, __proto__: null };
    assert.deepEqual(typesIn({ definitions, properties: { after: { properties } } }), {
      name: 'S.T',
      types: { A: 'string' },
    });
  });

  test('may refer on and on, in little time', () => {
    const links = 4_000;
    const definitions = Object.fromEntries(
      Array.from({ length: links }, (_, at) => [`d${at}`, { $ref: `#/definitions/d${at + 1}` }]),
    );
    const columns = Array.from({ length: links }, (_, at) => [`C${at}`, { $ref: '#/definitions/d0' }]);
    const started = performance.now();
    assert.equal(
      typesIn({ definitions, properties: { after: { properties: Object.fromEntries(columns) } } }),
      undefined,
    );
    assert.ok(performance.now() - started < 5_000);
  });
});

describe('the table of a schema', () => {
  const nameOf = (id: string, properties: JsonObject = {}) =>
    typesIn({ properties: { ...properties, after: { properties: { ID: { type: 'number' } } } } }, id)?.name;

  test('is the qualified name in its id, never its version nor a part of a name', () => {
    const expected = {
      'urn:x:dml:S.T': 'S.T',
      'urn:x:dml:S.T:v2.1': 'S.T',
      'urn:x:dml:CAT.S.T#1:2.0': 'CAT.S.T#1',
      'https://example.com/schemas/dml/S.T/1': 'S.T',
      'https://example.com/schemas#S.T': 'S.T',
      'urn:x:S.T:2.1': 'S.T',
      'S.T': 'S.T',
      'urn:x:dml': undefined,
      'urn:x:dml:all:v2.1': undefined,
      'urn:x:v2.1': undefined,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((id) => [id, nameOf(id)])), expected);
  });

  test('is rather the one name that it allows', () => {
    assert.equal(nameOf(ID, { qual_table: { enum: ['X.Y'] } }), 'X.Y');
    assert.equal(nameOf(ID, { table: { const: 'X.Y' } }), 'X.Y');
    assert.equal(nameOf(ID, { qual_table: { enum: ['X.Y', 'X.Z'] } }), 'S.T');
  });
});
