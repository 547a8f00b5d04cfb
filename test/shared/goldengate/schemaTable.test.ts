import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonValue } from '../../../shared/change/json.ts';
import { fieldNames } from '../../../shared/goldengate/fieldNames.ts';
import { schemaTypes } from '../../../shared/goldengate/schemaTypes.ts';

const FIELDS = fieldNames({});
const RENAMED = fieldNames({ qual_table: 'tbl', before: 'old', after: 'new' });
const IMAGE = { type: 'object', properties: { ID: { type: 'number' }, A: { type: ['string', 'null'] } } };
const TYPES = { ID: 'number', A: 'string' };

type Properties = { readonly [name: string]: JsonValue };

function read(id: string, properties: Properties, fields = FIELDS) {
  return schemaTypes(id, { id, $schema: 'http://json-schema.org/draft-04/schema#', properties }, fields, '.');
}

describe('the table of a schema', () => {
  const declared: readonly [string, Properties][] = [
    ['const', { qual_table: { const: 'S.T' } }],
    ['enum of one', { qual_table: { type: 'string', enum: ['S.T'] } }],
    ["const of a classic record's field", { table: { const: 'S.T' } }],
    ["enum of one of a classic record's field", { table: { enum: ['S.T'] } }],
    ['const of one field, where the other allows any', { qual_table: { type: 'string' }, table: { const: 'S.T' } }],
  ];
  for (const [what, properties] of declared) {
    test(`is what its ${what} allows, whatever its id`, () => {
      for (const id of ['urn:x:dml', 'urn:x:dml:S.OTHER']) {
        assert.deepEqual(read(id, { ...properties, after: IMAGE }), { name: 'S.T', types: TYPES });
      }
    });
  }

  test('is what the field allows that the stream has renamed to', () => {
    const properties = { tbl: { const: 'S.T' }, qual_table: { const: 'S.OTHER' }, new: IMAGE };
    assert.deepEqual(read('urn:x:dml', properties, RENAMED), { name: 'S.T', types: TYPES });
  });

  test('is the last part of its id, where it allows several or any', () => {
    for (const table of [{ enum: ['S.U', 'S.V'] }, { type: 'string' }, { enum: [] }, { const: 7 }]) {
      for (const id of ['urn:x:dml:S.T', 'https://x/dml/S.T', 'https://x/dml#S.T', 'urn:x:dml:S.T:']) {
        assert.deepEqual(read(id, { qual_table: table, after: IMAGE }), { name: 'S.T', types: TYPES });
      }
    }
  });

  test('is none, where nothing is a qualified name', () => {
    assert.deepEqual(read('urn:x:dml', { after: IMAGE }), undefined);
    assert.deepEqual(read('urn:x:dml', { qual_table: { enum: ['S.U', 'S.V'] }, after: IMAGE }), undefined);
  });
});
