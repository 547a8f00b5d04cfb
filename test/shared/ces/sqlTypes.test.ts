import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { keyText, sqlType } from '../../../shared/ces/sqlTypes.ts';
import { sameDecimal } from '../../../shared/change/exact.ts';
import type { JsonValue } from '../../../shared/change/json.ts';

const read = (value: JsonValue, type?: string) => sqlType(type).read(value);

describe('values become exact by their declared type', () => {
  const cases: [string, JsonValue, JsonValue][] = [
    ['bit', '1', true],
    ['bit', '0', false],
    ['bit', 'True', true],
    ['bit', 'false', false],
    ['bit', 1, true],
    ['bit', false, false],
    ['tinyint', '255', 255],
    ['smallint', '-32768', -32768],
    ['int', '-2147483648', -2147483648],
    ['INT', '+7', 7],
    ['int', '0007', 7],
    ['int', 8, 8],
    ['bigint', '-9223372036854775808', '-9223372036854775808'],
    ['bigint', '9007199254740993', '9007199254740993'],
    ['decimal(38,0)', '99999999999999999999999999999999999999', '99999999999999999999999999999999999999'],
    ['decimal(18,4)', '12.5000', '12.5000'],
    ['numeric(38, 38)', '-.00000000000000000000000000000000000001', '-.00000000000000000000000000000000000001'],
    ['money', '-922337203685477.5808', '-922337203685477.5808'],
    ['smallmoney', '214748.3647', '214748.3647'],
    ['real', '3.4028235E+38', 3.4028235e38],
    ['real', '-1.18e-38', -1.18e-38],
    ['float', '1.7976931348623157E+308', 1.7976931348623157e308],
    ['float(53)', '125.50', 125.5],
    ['float', '0.10000000000000001', '0.10000000000000001'],
    ['date', '2026-02-28', '2026-02-28'],
    ['date', '2024-02-29', '2024-02-29'],
    ['time(7)', '23:59:59.9999999', '23:59:59.9999999'],
    ['smalldatetime', '2079-06-06 23:59:00', '2079-06-06T23:59:00'],
    ['datetime', '2025-03-14 16:45:01.000', '2025-03-14T16:45:01.000'],
    ['datetime2(7)', '2026-08-07 16:25:00.8833333', '2026-08-07T16:25:00.8833333'],
    ['datetime2(7)', '2026-08-07T16:25:00.8833333', '2026-08-07T16:25:00.8833333'],
    ['datetime2(7)', '0001-01-01 00:00:00.0000001', '0001-01-01T00:00:00.0000001'],
    ['datetime2(7)', '2026-08-07T16:25:00Z', '2026-08-07T16:25:00Z'],
    ['datetimeoffset(7)', '2026-01-01 10:00:00.1234567 +02:00', '2026-01-01T10:00:00.1234567+02:00'],
    ['datetimeoffset', '2026-01-01T10:00:00-14:00', '2026-01-01T10:00:00-14:00'],
    ['uniqueidentifier', '56CB8FF3-5C55-4F3B-A7F7-B044D1933EF6', '56cb8ff3-5c55-4f3b-a7f7-b044d1933ef6'],
    ['nvarchar(50)', ' 1 ', ' 1 '],
    ['char(5)', 'ab   ', 'ab   '],
    ['varbinary(8)', '0x00FF', '0x00FF'],
    ['nvarchar(10)', 'NULL', 'NULL'],
    ['dbo.Flag', '1', '1'],
  ];
  for (const [type, sent, value] of cases) {
    test(`${type} ${JSON.stringify(sent)}`, () => assert.deepEqual(read(sent, type), value));
  }

  test('what is not declared stays as sent', () => assert.equal(read('007'), '007'));
});

describe('what is no value of its type is told', () => {
  const cases: [string, JsonValue][] = [
    ['bit', '2'],
    ['bit', ''],
    ['int', '8.5'],
    ['int', ''],
    ['int', 'eight'],
    ['int', ' 8'],
    ['int', '99999999999999999999'],
    ['int', true],
    ['bigint', '1.0'],
    ['decimal(5,2)', '$5'],
    ['decimal(5,2)', '1,000.00'],
    ['float', 'NaN'],
    ['float', '0x10'],
    ['date', '2026-02-29'],
    ['date', '2100-02-29'],
    ['date', '2026-04-31'],
    ['date', '07/08/2026'],
    ['time', '24:00:00'],
    ['datetime', '2026-08-07 16:25:61'],
    ['datetime', 5],
    ['datetimeoffset', '2026-01-01 10:00:00 +2'],
    ['uniqueidentifier', '56cb8ff3'],
    ['uniqueidentifier', 7],
    ['int', ['8']],
  ];
  for (const [type, sent] of cases) {
    test(`${type} ${JSON.stringify(sent)}`, () => assert.equal(read(sent, type), undefined));
  }
});

describe('one key value has one text', () => {
  const cases: [string, string | null, ...JsonValue[]][] = [
    ['int', '600', '600', 600, '0600', '+600'],
    ['bigint', '9007199254740993', '9007199254740993', '009007199254740993'],
    ['decimal(18,4)', '12.5', '12.5000', '12.5', '0012.50'],
    ['float', '1000', '1E3', '1000', 1000],
    ['bit', 'true', '1', true, 'TRUE'],
    ['uniqueidentifier', '56cb8ff3-5c55-4f3b-a7f7-b044d1933ef6', '56CB8FF3-5C55-4F3B-A7F7-B044D1933EF6'],
    ['date', '2026-01-01', '2026-01-01', '2026-01-01 00:00:00.000'],
    ['datetime2(7)', '2026-01-01T10:00:00', '2026-01-01 10:00:00.0000000', '2026-01-01T10:00:00', '2026-01-01 10:00'],
    ['datetime2(7)', '2026-01-01T10:00:00.12', '2026-01-01 10:00:00.1200000', '2026-01-01T10:00:00.12'],
    [
      'datetimeoffset(7)',
      '2026-01-01T08:00:00.5Z',
      '2026-01-01 10:00:00.50 +02:00',
      '2026-01-01T08:00:00.5Z',
      '2026-01-01 00:30:00.5 -07:30',
    ],
    ['time(3)', '10:30:00', '10:30:00.000', '10:30'],
    ['nvarchar(20)', ' a ', ' a '],
    ['nvarchar(20)', '0600', '0600'],
    ['int', 'abc', 'abc'],
    ['int', null, null],
  ];
  for (const [type, text, ...values] of cases) {
    test(`${type}: ${text}`, () =>
      assert.deepEqual(
        values.map((value) => keyText(value, type)),
        values.map(() => text),
      ));
  }
});

describe('over the whole range of each type nothing is rounded', () => {
  const digits = fc.stringMatching(/^\d{1,38}$/);
  const sign = fc.constantFrom('', '-');

  test('bigint', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => {
        assert.equal(read(String(value), 'bigint'), String(value));
        assert.equal(keyText(String(value), 'bigint'), String(value));
      }),
    );
  });

  test('decimal and money: the digits as sent', () => {
    fc.assert(
      fc.property(sign, digits, digits, (minus, whole, fraction) => {
        const text = `${minus}${whole}.${fraction}`;
        assert.equal(read(text, 'decimal(38,19)'), text);
        assert.equal(read(text, 'money'), text);
        assert.equal(sameDecimal(keyText(text, 'decimal(38,19)') ?? '', text), true);
      }),
    );
  });

  test('tinyint, smallint and int are numbers', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom('tinyint', 'smallint', 'int'), (value, type) => {
        assert.equal(read(String(value), type), value);
      }),
    );
  });

  test('float and real: a number where it prints as the same value, otherwise the digits', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        assert.equal(read(value.toExponential(), 'float'), value === 0 ? 0 : value);
      }),
    );
    fc.assert(
      fc.property(sign, digits, digits, (minus, whole, fraction) => {
        const text = `${minus}${whole}.${fraction}`;
        assert.equal(sameDecimal(String(read(text, 'float')), text), true);
      }),
    );
  });

  test('dates and times keep every digit and get no zone', () => {
    const day = fc
      .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 19));
    const fraction = fc.stringMatching(/^(\.\d{1,7})?$/);
    const zone = fc.constantFrom('', ' +00:00', ' -13:59', ' +14:00');
    fc.assert(
      fc.property(day, fraction, zone, (iso, rest, offset) => {
        const sent = `${iso.replace('T', ' ')}${rest}${offset}`;
        assert.equal(read(sent, 'datetimeoffset(7)'), `${iso}${rest}${offset.trim()}`);
        assert.equal(read(`${iso.replace('T', ' ')}${rest}`, 'datetime2(7)'), `${iso}${rest}`);
      }),
    );
  });

  test('any text of any type is read without an error, and its key text does not depend on whether it was read', () => {
    const types = [
      'bit',
      'int',
      'bigint',
      'decimal(9,2)',
      'float',
      'date',
      'time',
      'datetime2',
      'datetimeoffset',
      'uniqueidentifier',
      'xml',
    ];
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.constantFrom(...types), (text, type) => {
        const value = read(text, type) ?? text;
        assert.equal(keyText(value, type), keyText(text, type));
      }),
    );
  });
});
