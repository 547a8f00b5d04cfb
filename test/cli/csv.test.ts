import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CsvReader } from '../../cli/extract/csv.ts';

/** Records of a text that comes in pieces of these lengths; a field that was quoted has quotes. */
function read(text: string, delimiter = ',', pieceLength = Number.POSITIVE_INFINITY): string[][] {
  const reader = new CsvReader(delimiter);
  const records: string[][] = [];
  const add = (fields: readonly { text: string; quoted: boolean }[]) =>
    records.push(fields.map((field) => (field.quoted ? `"${field.text}"` : field.text)));
  for (let at = 0; at < text.length; at += pieceLength) {
    for (const fields of reader.read(text.slice(at, at + pieceLength))) add(fields);
  }
  const last = reader.end();
  if (last !== undefined) add(last);
  return records;
}

describe('CSV', () => {
  test('has fields, quotes, delimiters and line ends as RFC 4180 has them', () => {
    const text = '\ufeffid,name\r\n1,"a ""b"", c"\r\n2,"two\r\nlines"\n\n3,\n4,""\n5,plain "quote"';
    assert.deepEqual(read(text), [
      ['id', 'name'],
      ['1', '"a "b", c"'],
      ['2', '"two\r\nlines"'],
      ['3', ''],
      ['4', '""'],
      ['5', 'plain "quote"'],
    ]);
    assert.deepEqual(read('a;b\n1;"x;y"', ';'), [
      ['a', 'b'],
      ['1', '"x;y"'],
    ]);
    assert.deepEqual(read(''), []);
    assert.deepEqual(read('a,b\r1,2\r'), [
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  test('that is none is refused with the line', () => {
    assert.throws(() => read('a\n"b'), { name: 'CsvError', message: 'a quotation mark is not closed in line 2' });
    assert.throws(() => read('a\n"b"c'), { name: 'CsvError', message: /after a closing quotation mark in line 2/ });
  });

  test('is read the same wherever it is cut', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é'), maxLength: 6 });
    const rows = fc.array(fc.array(field, { minLength: 2, maxLength: 3 }), { maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 4 }), (records, length) => {
        const text = records
          .map((record) => record.map((each) => `"${each.replaceAll('"', '""')}"`).join(','))
          .join('\n');
        const expected = records.map((record) => record.map((each) => `"${each}"`));
        assert.deepEqual(read(text, ',', length), expected);
        assert.deepEqual(read(text), expected);
      }),
    );
  });
});
