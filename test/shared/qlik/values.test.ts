import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonValue } from '../../../shared/change/json.ts';
import { readSequence } from '../../../shared/qlik/sequence.ts';
import { dayText, momentText, timeText, utcTime } from '../../../shared/qlik/times.ts';
import { qlikType } from '../../../shared/qlik/types.ts';
import { reasonOf } from './messages.ts';

describe('a value of a column', () => {
  const CASES: readonly [string, JsonValue, JsonValue | undefined][] = [
    ['NUMERIC', '10000.00', '10000.00'],
    ['NUMERIC', '11371.0500000000', '11371.0500000000'],
    ['NUMERIC', '12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
    ['NUMERIC', 12.5, '12.5'],
    ['NUMERIC', 'ten', undefined],
    ['INT4', 14472, 14472],
    ['INT4', '2', 2],
    ['INT4', 2.5, undefined],
    ['INT8', '9223372036854775807', '9223372036854775807'],
    ['UINT8', '18446744073709551615', '18446744073709551615'],
    ['UINT8', '7', 7],
    ['REAL8', '1.25', 1.25],
    ['REAL8', 'NaN', undefined],
    ['BOOLEAN', true, true],
    ['BOOLEAN', '0', false],
    ['BOOLEAN', 'maybe', undefined],
    ['BYTES', 'deadBEEF', 'DEADBEEF'],
    ['BLOB', '', ''],
    ['BYTES', 'DEADBEE', undefined],
    ['DATE', '1993-11-25', '1993-11-25'],
    ['DATETIME', '2023-03-21 14:34:21.000000', '2023-03-21T14:34:21.000000'],
    ['DATETIME', '2016-08-21 08:50:46', '2016-08-21T08:50:46'],
    ['DATETIME', '32767-12-31 23:59:59.999999999', '32767-12-31T23:59:59.999999999'],
    ['DATETIME', 'yesterday', undefined],
    ['TIME', '12:34:56', '12:34:56'],
    ['TIME', '12h', undefined],
    ['STRING', '007', '007'],
    ['WSTRING', '1E5', '1E5'],
    ['CLOB', '10L', '10L'],
    ['JSON', { a: [1] }, { a: [1] }],
  ];
  for (const [type, sent, value] of CASES) {
    test(`${JSON.stringify(sent)} of type ${type} is ${JSON.stringify(value) ?? 'none of its type'}`, () => {
      assert.deepEqual(qlikType(type).read(sent), value);
    });
  }

  test('without a type stays as it was sent', () => {
    const sent = ['10000.00', '2', '007', 'DEADBEEF', '2023-03-21 14:34:21.000000', 5, true];
    assert.deepEqual(sent.map(qlikType(null).read), sent);
  });

  test('has one text as a key, however it is written', () => {
    const text = (type: string | null, value: JsonValue) => qlikType(type).keyText(value);
    assert.deepEqual(
      [
        ['INT4', 2],
        ['INT4', '2'],
        ['NUMERIC', '2.00'],
        ['NUMERIC', '02'],
        ['DATETIME', '2023-03-21T14:34:21.100000'],
        ['DATETIME', '2023-03-21T14:34:21.1'],
        ['STRING', '02'],
        [null, 2],
        ['INT4', null],
      ].map(([type, value]) => text(type as string, value as JsonValue)),
      ['2', '2', '2', '2', '2023-03-21T14:34:21.1', '2023-03-21T14:34:21.1', '02', '2', null],
    );
  });
});

describe('times', () => {
  test('of Avro are days, micro-, milli- and nanoseconds, exactly, up to the year 32767', () => {
    assert.deepEqual(
      [
        dayText(8729),
        dayText(-1),
        momentText(1_710_000_000_123_456, 6),
        momentText(-1, 6),
        momentText(971_890_963_199_999_999n, 6),
        momentText(1_710_000_000_123, 3),
        momentText(1_710_000_000_123_456_789n, 9),
        timeText(45_296_000, 3),
        timeText(45_296_007, 3),
        timeText(-1, 3),
        dayText(1e12),
      ],
      [
        '1993-11-25',
        '1969-12-31',
        '2024-03-09T16:00:00.123456',
        '1969-12-31T23:59:59.999999',
        '32767-12-31T23:59:59.999999',
        '2024-03-09T16:00:00.123',
        '2024-03-09T16:00:00.123456789',
        '12:34:56',
        '12:34:56.007',
        undefined,
        undefined,
      ],
    );
  });

  test('of a commit are UTC, whatever form they come in, and may be missing', () => {
    const sent = [
      '2024-05-01T10:20:30.000',
      '2024-05-01 10:20:30',
      '2024-05-01T10:20:30.1234567',
      '2024-05-01T10:20:30.5Z',
      '2024-05-01T10:20:30+02:00',
      1_714_558_830_000,
      '1714558830000',
      '',
      null,
      undefined,
      'soon',
    ];
    assert.deepEqual(sent.map(utcTime), [
      '2024-05-01T10:20:30.000Z',
      '2024-05-01T10:20:30.000Z',
      '2024-05-01T10:20:30.1234567Z',
      '2024-05-01T10:20:30.500Z',
      '2024-05-01T08:20:30.000Z',
      '2024-05-01T10:20:30.000Z',
      '2024-05-01T10:20:30.000Z',
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('a changeSequence', () => {
  test('is text of 35 digits, never a number that was rounded', () => {
    const exact = '20240501102030000000000000000000005';
    assert.deepEqual(
      [readSequence(exact), readSequence('5'), readSequence(17)],
      [exact, exact.replace(/\d{34}/, '0'.repeat(34)), '17'.padStart(35, '0')],
    );
    for (const sent of [
      '',
      null,
      undefined,
      '2.0240501102030002e+34',
      2.0240501102030002e34,
      '-1',
      '0x1',
      'x',
      `1${exact}`,
    ]) {
      assert.equal(
        reasonOf(() => readSequence(sent)),
        'no-order',
        String(sent),
      );
    }
  });
});
