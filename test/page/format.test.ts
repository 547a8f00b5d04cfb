import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytes, count, counted, duration, hexDump, rate, shorten, tableName } from '../../page/format.ts';
import { hrefOf, parseRoute } from '../../page/route.ts';

describe('numbers as people read them', () => {
  test('counts', () => {
    assert.deepEqual([0, 1_234, 99_999, 184_220, 1_942_330].map(count), ['0', '1,234', '99,999', '184K', '1.94M']);
    assert.deepEqual([counted(1, 'row'), counted(2, 'row'), counted(0, 'row')], ['1 row', '2 rows', '0 rows']);
  });

  test('rates: something that moves never looks as if it stood still', () => {
    assert.deepEqual([0, 0.04, 0.44, 12.34, 99.9, 2_345.6].map(rate), ['0', '<0.1', '0.4', '12.3', '99.9', '2,346']);
  });

  test('durations', () => {
    const seconds = [-3, 0.44, 9.96, 42, 119, 180, 7_200, 259_200];
    assert.deepEqual(seconds.map(duration), ['0 s', '0.4 s', '10 s', '42 s', '119 s', '3 min', '2 h', '3 d']);
  });

  test('sizes', () => {
    assert.deepEqual([0, 812, 4_200, 2_097_152].map(bytes), ['0 B', '812 B', '4.1 KB', '2 MB']);
  });
});

describe('texts', () => {
  test('are shortened between characters, not inside one', () => {
    assert.deepEqual([shorten('abc', 3), shorten('abcd', 3), shorten('😀😀😀', 2)], ['abc', 'ab…', '😀…']);
  });

  test('of tables come without source and stream', () => {
    assert.deepEqual(['ces/sales/Shop.dbo.Orders', 'blob/a/b/c', 'odd'].map(tableName), [
      'Shop.dbo.Orders',
      'b/c',
      'odd',
    ]);
  });

  test('of bytes are offset, hex and what can be printed', () => {
    const dump = hexDump(Buffer.from('<b>0123456789abc\u00e9'));
    assert.equal(
      dump,
      '000000  3c 62 3e 30 31 32 33 34 35 36 37 38 39 61 62 63  <b>0123456789abc\n' +
        `000010  c3 a9${' '.repeat(42)}  ··`,
    );
  });
});

describe('an address in the page', () => {
  test('survives whatever names are in it', () => {
    const parameters = { table: 'ces/s/a&b=c?#<>%', id: '../1,"' };
    const route = parseRoute(hrefOf('tables', parameters));
    assert.deepEqual([route.view, Object.fromEntries(route.parameters)], ['tables', parameters]);
  });

  test('that means nothing leads to the overview', () => {
    assert.deepEqual(
      ['', '#', '#main', '#/nowhere?x=1'].map((address) => parseRoute(address).view),
      Array(4).fill('overview'),
    );
    assert.equal(hrefOf('deadletters', { stream: '', reason: null, from: undefined }), '#/deadletters');
  });
});
