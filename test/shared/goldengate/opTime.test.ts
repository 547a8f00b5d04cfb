import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { OpTimeReader } from '../../../shared/goldengate/opTime.ts';

const utc = new OpTimeReader('UTC');

describe('the time of an operation', () => {
  const cases: readonly [string, string][] = [
    ['2026-07-13T04:01:01.123456Z', '2026-07-13T04:01:01.123456'],
    ['2026-07-13 04:01:01.123456', '2026-07-13T04:01:01.123456'],
    ['2026-07-13:04:01:01', '2026-07-13T04:01:01'],
    ['2026-07-13T04:01:01.123456789', '2026-07-13T04:01:01.123456789'],
    ['2026-07-13T04:01:01.1234567891', '2026-07-13T04:01:01.1234567891'],
    ['2026-07-13T04:01:01+05:30', '2026-07-12T22:31:01'],
    ['2026-07-13T04:01:01.5-0800', '2026-07-13T12:01:01.5'],
    ['2026-07-13 04:01:01 UTC', '2026-07-13T04:01:01'],
  ];
  for (const [sent, iso] of cases) {
    test(`is read from ${sent}`, () => {
      const [second = '', fraction = ''] = iso.split('.');
      assert.deepEqual(utc.read(sent), {
        iso: `${iso}Z`,
        sortable: `${second}.${fraction.slice(0, 9).padEnd(9, '0')}`,
      });
    });
  }

  test('is none in what is no time', () => {
    const bad = [
      '',
      'now',
      '2026-13-01T00:00:00Z',
      '2026-07-13',
      '2026-07-13T04:01',
      '2026-07-13T04:01:01.Z',
      '2026-07-13T04:01:01x',
    ];
    for (const sent of [...bad, '1752379261000', '2026-07-13T25:01:01Z']) assert.equal(utc.read(sent), undefined, sent);
    // Not even after a good one in the same second.
    assert.ok(utc.read('2026-07-13T04:01:01Z') !== undefined);
    assert.equal(utc.read('2026-07-13T04:01:01 04:00'), undefined);
  });

  test('without a zone is of the zone that the stream has, also where clocks change', () => {
    const madrid = new OpTimeReader('Europe/Madrid');
    const isoOf = (sent: string) => madrid.read(sent)?.iso;
    assert.equal(isoOf('2026-03-29 01:59:59'), '2026-03-29T00:59:59Z');
    assert.equal(isoOf('2026-03-29 03:00:00'), '2026-03-29T01:00:00Z');
    assert.equal(isoOf('2026-10-25 03:00:00'), '2026-10-25T02:00:00Z');
    assert.equal(isoOf('2026-10-25 03:00:00Z'), '2026-10-25T03:00:00Z');
    assert.equal(new OpTimeReader('Asia/Kolkata').read('2026-01-01 00:00:00')?.iso, '2025-12-31T18:30:00Z');
  });

  test('is read the same whatever was read before it', () => {
    const day = fc.constantFrom('2026-07-13', '2026-07-14', '2026-7-13', '');
    const time = fc.constantFrom(
      'T04:01:01',
      ' 04:01:01',
      'T04:01:02',
      'T04:01:60',
      'T04:01:0:',
      'T04:02:01',
      'T04:01',
      'T24:01:01',
      '',
    );
    const rest = fc.constantFrom('', '.5', '.123456', '.x', 'Z', '.5Z', '+02:00', '.5+02:00', ' UTC');
    const text = fc.tuple(day, time, rest).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), fc.constantFrom('UTC', 'Europe/Madrid'), (texts, zone) => {
        const reader = new OpTimeReader(zone);
        const alone = texts.map((each) => new OpTimeReader(zone).read(each));
        assert.deepEqual(
          texts.map((each) => reader.read(each)),
          alone,
        );
      }),
    );
  });
});
