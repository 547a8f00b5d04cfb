import { ScheduleError } from './errors.ts';

const MS_PER_SECOND = 1000;
const MS_PER_DAY = 86_400_000;
/** A 29 February on one given weekday comes at least once in 40 years. */
const SEARCH_YEARS = 41;

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july'].concat([
  'august',
  'september',
  'october',
  'november',
  'december',
]);
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const SHORTEST_NAME_LENGTH = 3;

interface Field {
  readonly label: string;
  readonly first: number;
  readonly last: number;
  readonly names?: readonly string[];
}

const SECOND: Field = { label: 'second', first: 0, last: 59 };
const MINUTE: Field = { label: 'minute', first: 0, last: 59 };
const HOUR: Field = { label: 'hour', first: 0, last: 23 };
const DAY: Field = { label: 'day', first: 1, last: 31 };
const MONTH: Field = { label: 'month', first: 1, last: 12, names: MONTHS };
const WEEKDAY: Field = { label: 'day of week', first: 0, last: 6, names: WEEKDAYS };
const FIELDS = [SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY];

/** A parsed schedule: the values that each field allows, ascending. */
export interface NcrontabSchedule {
  readonly expression: string;
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
}

/**
 * Parses `{second} {minute} {hour} {day} {month} {day of week}`; with five fields the seconds are 0. Each field is `*` or
 * a comma-separated list of values and ranges, each with an optional `/step`; months and weekdays may be named in English
 * (three letters or more). As in Azure, the day and the day of week must both match, and weekdays are 0 (Sunday) to 6.
 * Throws {@link ScheduleError}.
 */
export function parseNcrontab(expression: string): NcrontabSchedule {
  const parts = expression.trim().split(/\s+/);
  if (parts.length === FIELDS.length - 1) {
    parts.unshift('0');
  }
  if (parts.length !== FIELDS.length) {
    throw new ScheduleError(
      `"${expression}" is no NCRONTAB schedule: six fields are expected (or five, without seconds).`,
    );
  }
  const [seconds = [], minutes = [], hours = [], days, months, weekdays] = FIELDS.map((field, index) =>
    parseField(field, parts[index] ?? '', expression),
  );
  const schedule = {
    expression,
    seconds,
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays),
  };
  if (findNext(schedule, new Date(0)) === undefined) {
    throw new ScheduleError(`The schedule "${expression}" never comes due.`);
  }
  return schedule;
}

function parseField(field: Field, text: string, expression: string): number[] {
  const fail = (): never => {
    throw new ScheduleError(`"${text}" is no ${field.label} of an NCRONTAB schedule ("${expression}").`);
  };
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [range = '', stepText, ...more] = item.split('/');
    const step = stepText === undefined ? 1 : parseNumber(stepText);
    if (more.length > 0 || step === undefined || step < 1) {
      fail();
      continue;
    }
    const bounds = parseRange(field, range, stepText !== undefined);
    if (bounds === undefined) {
      fail();
      continue;
    }
    for (let value = bounds.from; value <= bounds.to; value += step) {
      values.add(value);
    }
  }
  return [...values].sort((a, b) => a - b);
}

/** A single value with a step, `5/15`, runs from that value to the field's last one. */
function parseRange(field: Field, text: string, hasStep: boolean): { from: number; to: number } | undefined {
  if (text === '*') {
    return { from: field.first, to: field.last };
  }
  const [fromText = '', toText, ...more] = text.split('-');
  const from = parseValue(field, fromText);
  const to = toText === undefined ? (hasStep ? field.last : from) : parseValue(field, toText);
  return more.length > 0 || from === undefined || to === undefined || to < from ? undefined : { from, to };
}

function parseValue(field: Field, text: string): number | undefined {
  const number = parseNumber(text);
  if (number !== undefined) {
    return number >= field.first && number <= field.last ? number : undefined;
  }
  if (field.names === undefined || text.length < SHORTEST_NAME_LENGTH) {
    return undefined;
  }
  const index = field.names.findIndex((name) => name.startsWith(text.toLowerCase()));
  return index < 0 ? undefined : field.first + index;
}

function parseNumber(text: string): number | undefined {
  return /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}

/** The first moment after `after` (never equal to it) that the schedule names, in UTC and on a whole second. */
export function nextOccurrence(schedule: NcrontabSchedule, after: Date): Date {
  const next = findNext(schedule, after);
  if (next === undefined) {
    throw new ScheduleError(`The schedule "${schedule.expression}" does not come due any more.`);
  }
  return next;
}

/** The day is found by walking over days, the time of day by walking over the three sorted lists. */
function findNext(schedule: NcrontabSchedule, after: Date): Date | undefined {
  const earliest = new Date((Math.floor(after.getTime() / MS_PER_SECOND) + 1) * MS_PER_SECOND);
  const firstDay = Date.UTC(earliest.getUTCFullYear(), earliest.getUTCMonth(), earliest.getUTCDate());
  const lastYear = earliest.getUTCFullYear() + SEARCH_YEARS;
  for (let day = new Date(firstDay); day.getUTCFullYear() <= lastYear; day = new Date(day.getTime() + MS_PER_DAY)) {
    if (!matchesDay(schedule, day)) {
      continue;
    }
    const from = day.getTime() === firstDay ? earliest : day;
    const time = firstTimeOfDay(schedule, from.getUTCHours(), from.getUTCMinutes(), from.getUTCSeconds());
    if (time !== undefined) {
      return new Date(day.getTime() + time * MS_PER_SECOND);
    }
  }
  return undefined;
}

function matchesDay({ days, months, weekdays }: NcrontabSchedule, day: Date): boolean {
  return months.has(day.getUTCMonth() + 1) && days.has(day.getUTCDate()) && weekdays.has(day.getUTCDay());
}

/** Second of the day, not before the given time of day. */
function firstTimeOfDay(schedule: NcrontabSchedule, fromHour: number, fromMinute: number, fromSecond: number) {
  for (const hour of schedule.hours) {
    if (hour < fromHour) {
      continue;
    }
    for (const minute of schedule.minutes) {
      if (hour === fromHour && minute < fromMinute) {
        continue;
      }
      const minSecond = hour === fromHour && minute === fromMinute ? fromSecond : 0;
      const second = schedule.seconds.find((candidate) => candidate >= minSecond);
      if (second !== undefined) {
        return (hour * 60 + minute) * 60 + second;
      }
    }
  }
  return undefined;
}
