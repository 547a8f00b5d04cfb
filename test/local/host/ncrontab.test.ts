import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ScheduleError } from '../../../local/host/errors.ts';
import { type NcrontabSchedule, nextOccurrence, parseNcrontab } from '../../../local/host/ncrontab.ts';

const MS_PER_SECOND = 1000;
const PROPERTY = { numRuns: 60 };

const next = (expression: string, after: string) =>
  nextOccurrence(parseNcrontab(expression), new Date(after)).toISOString();

/** The definition, field by field: what the search must agree with. */
function matches(schedule: NcrontabSchedule, moment: Date): boolean {
  return (
    schedule.seconds.includes(moment.getUTCSeconds()) &&
    schedule.minutes.includes(moment.getUTCMinutes()) &&
    schedule.hours.includes(moment.getUTCHours()) &&
    schedule.days.has(moment.getUTCDate()) &&
    schedule.months.has(moment.getUTCMonth() + 1) &&
    schedule.weekdays.has(moment.getUTCDay())
  );
}

describe('an NCRONTAB schedule', () => {
  const cases: [expression: string, after: string, expected: string][] = [
    ['0 */5 * * * *', '2026-01-01T00:00:00.000Z', '2026-01-01T00:05:00.000Z'],
    ['0 */5 * * * *', '2026-01-01T00:04:59.999Z', '2026-01-01T00:05:00.000Z'],
    ['*/5 * * * *', '2026-01-01T00:01:00.000Z', '2026-01-01T00:05:00.000Z'],
    ['* * * * * *', '2026-12-31T23:59:59.500Z', '2027-01-01T00:00:00.000Z'],
    ['0 30 9 * * 1-5', '2026-11-27T09:30:00.000Z', '2026-11-30T09:30:00.000Z'],
    ['0 30 9 * Jan MON', '2026-11-30T00:00:00.000Z', '2027-01-04T09:30:00.000Z'],
    ['0 0 0 29 2 *', '2026-01-01T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 0 13 * friday', '2026-03-13T00:00:00.000Z', '2026-11-13T00:00:00.000Z'],
    ['0 10/20 * * * *', '2026-01-01T00:11:00.000Z', '2026-01-01T00:30:00.000Z'],
    ['5,1,3 0 0 1 1 *', '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:03.000Z'],
    ['0 0 8-18/5 * * *', '2026-01-01T13:00:00.000Z', '2026-01-01T18:00:00.000Z'],
  ];
  for (const [expression, after, expected] of cases) {
    test(`"${expression}" comes after ${after} at ${expected}`, () => assert.equal(next(expression, after), expected));
  }

  const wrong = ['', '* * * *', '* * * * * * *', '60 * * * * *', '* * 24 * * *', '* * * 0 * *', '* * * * 13 *'].concat(
    [
      '* * * * * 7',
      '5-1 * * * * *',
      '*/0 * * * * *',
      'a * * * * *',
      '1,,2 * * * * *',
      '1-2-3 * * * * *',
      '1/2/3 * * * * *',
    ],
    ['* * * * Foo *', '* * * * Ja *', '-1 * * * * *', '00:05:00', '0 0 0 30 2 *'],
  );
  for (const expression of wrong) {
    test(`"${expression}" is refused`, () => assert.throws(() => parseNcrontab(expression), ScheduleError));
  }

  const field = (first: number, last: number) => {
    const value = fc.integer({ min: first, max: last });
    const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
    const step = fc.tuple(fc.constant('*'), fc.integer({ min: 1, max: last })).map((parts) => parts.join('/'));
    const item = fc.oneof(value.map(String), range, step);
    return fc.oneof(
      fc.constant('*'),
      fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(',')),
    );
  };
  const timeOfDay = fc.tuple(field(0, 59), field(0, 59), field(0, 23));
  const moment = fc.date({ min: new Date('2000-01-01'), max: new Date('2080-01-01'), noInvalidDate: true });

  test('the next occurrence matches the schedule, and no second before it does', () => {
    fc.assert(
      fc.property(timeOfDay, moment, (fields, after) => {
        const schedule = parseNcrontab(`${fields.join(' ')} * * *`);
        const found = nextOccurrence(schedule, after);
        assert.ok(found > after && matches(schedule, found));
        const first = (Math.floor(after.getTime() / MS_PER_SECOND) + 1) * MS_PER_SECOND;
        for (let at = first; at < found.getTime(); at += MS_PER_SECOND) {
          assert.ok(!matches(schedule, new Date(at)), new Date(at).toISOString());
        }
      }),
      PROPERTY,
    );
  });

  test('the next day matches days, months and weekdays together, and no day before it does', () => {
    fc.assert(
      fc.property(field(1, 28), field(1, 12), field(0, 6), moment, (day, month, weekday, after) => {
        const schedule = parseNcrontab(`0 0 12 ${day} ${month} ${weekday}`);
        const found = nextOccurrence(schedule, after);
        assert.ok(found > after && matches(schedule, found));
        for (const at = new Date(after); at < found; at.setUTCDate(at.getUTCDate() + 1)) {
          const noon = new Date(at);
          noon.setUTCHours(12, 0, 0, 0);
          assert.ok(noon <= after || noon >= found || !matches(schedule, noon), noon.toISOString());
        }
      }),
      PROPERTY,
    );
  });
});
