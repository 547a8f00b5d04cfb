import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeGeneralised, encodeGeneralised } from '../../../shared/ces/generalisedUtf8.ts';
import { reasonOf } from './receive.ts';

/** Texts as SQL Server may hold them: any UTF-16 units, halves of surrogate pairs without their partner included. */
const utf16 = fc
  .array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff }), fc.nat(0x7f)), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));

test('a well-formed text has its UTF-8 bytes', () => {
  assert.deepEqual(Buffer.from(encodeGeneralised('é😀\u0000')), Buffer.from('é😀\u0000'));
});

test('any UTF-16 text comes back', () => {
  fc.assert(fc.property(utf16, (text) => assert.equal(decodeGeneralised(encodeGeneralised(text)), text)));
});

test('texts cut between any two units join as bytes', () => {
  fc.assert(
    fc.property(utf16, utf16, (a, b) => {
      const bytes = [encodeGeneralised(a), encodeGeneralised(b)];
      assert.equal(decodeGeneralised(Buffer.concat(bytes)), a + b);
    }),
  );
});

describe('bytes that no text has are refused', () => {
  const cases: [string, number[]][] = [
    ['a byte that begins nothing', [0x61, 0xff]],
    ['a character without its end', [0x61, 0xe2, 0x82]],
    ['an end without its character', [0x82, 0x61]],
    ['a longer form than needed', [0xc0, 0xaf]],
    ['half a surrogate pair without its end', [0xed, 0xa0]],
    ['a character beyond the last', [0xf5, 0x80, 0x80, 0x80]],
  ];
  for (const [name, bytes] of cases) {
    test(name, () => {
      assert.equal(
        reasonOf(() => decodeGeneralised(Uint8Array.from(bytes))),
        'undecodable',
      );
    });
  }
});
