/** Years have up to five digits here: the task's dates end in 32767. */
const DAY = '-?\\d{4,6}-\\d\\d-\\d\\d';
const CLOCK = '\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?';
const ZONE = 'Z|[+-]\\d\\d:?\\d\\d';
const MOMENT = new RegExp(`^(${DAY})(?:[ T](${CLOCK})(${ZONE})?)?$`);
const TIME = new RegExp(`^${CLOCK}$`);

const MS_PER_SECOND = 1_000;
const MS_PER_DAY = 86_400_000;
const SECONDS_PER_DAY = 86_400;
const MICROS_PER_SECOND = 1_000_000;
const NANOS_PER_SECOND = 1_000_000_000;
/** What JavaScript's calendar has, in days since 1970. */
const LAST_DAY = 100_000_000;
const FIRST_DAY = -LAST_DAY;
const MAX_CALENDAR_DAYS = 50_000;
const NO_FRACTION = '000000000';
const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));

/** A date, or a date and time, as ISO 8601: `T` in place of the blank, everything else as sent. Undefined for other texts. */
export function isoMoment(text: string): string | undefined {
  if (!MOMENT.test(text)) return undefined;
  const blank = text.indexOf(' ');
  return blank === -1 ? text : `${text.slice(0, blank)}T${text.slice(blank + 1)}`;
}

export function isTime(text: string): boolean {
  return TIME.test(text);
}

/** One text for each moment or time of day: without zeros that end the fraction. For keys; other texts as they are. */
export function withoutFractionZeros(text: string): string {
  return text.replace(/(:\d\d)\.0+(?=$|[Z+-])|(\.\d*[1-9])0+(?=$|[Z+-])/, '$1$2');
}

/** What Replicate sends, save for the last days of long months. */
const USUAL_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}$/;

/**
 * When a change was committed, ISO 8601 in UTC, as the header `timestamp` tells it: no zone letter means UTC. Some producers
 * send milliseconds since 1970, as a number or as digits. Null for everything that is no time, the empty text included.
 */
export function utcTime(sent: unknown): string | null {
  if (typeof sent === 'string' && USUAL_TIME.test(sent)) return `${sent}Z`;
  if (typeof sent === 'number' || (typeof sent === 'string' && /^\d{12,14}$/.test(sent))) return isoOf(Number(sent));
  const match = typeof sent === 'string' ? MOMENT.exec(sent) : null;
  if (match === null) return null;
  const [, day = '', clock = '00:00:00', zone = 'Z'] = match;
  const [time = '', fraction = ''] = clock.split('.');
  const iso = isoOf(Date.parse(`${day}T${time}${zone}`));
  return iso === null ? null : `${iso.slice(0, -'.000Z'.length)}.${fraction.padEnd(3, '0')}Z`;
}

/** Avro's `date`: days since 1970. Undefined where that is no date of the calendar. */
export function dayText(days: number): string | undefined {
  return days >= FIRST_DAY && days <= LAST_DAY ? calendarDay(days) : undefined;
}

/** Avro's `timestamp-millis`, `-micros` and `-nanos`, with the three, six or nine digits that they count. */
export function momentText(units: number | bigint, digits: 3 | 6 | 9): string | undefined {
  const perSecond = digits === 3 ? MS_PER_SECOND : digits === 6 ? MICROS_PER_SECOND : NANOS_PER_SECOND;
  const seconds = typeof units === 'number' ? Math.floor(units / perSecond) : floorDivide(units, perSecond);
  const rest =
    typeof units === 'number' ? units - seconds * perSecond : Number(units - BigInt(seconds) * BigInt(perSecond));
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  const day = dayText(days);
  const fraction = rest === 0 ? NO_FRACTION.slice(0, digits) : String(rest).padStart(digits, '0');
  return day && `${day}T${clockText(seconds - days * SECONDS_PER_DAY)}.${fraction}`;
}

/** Avro's `time-millis` and `time-micros`. A source with whole seconds sends no fraction in JSON, so there is none here. */
export function timeText(units: number, digits: 3 | 6): string | undefined {
  const perSecond = digits === 3 ? MS_PER_SECOND : MICROS_PER_SECOND;
  const seconds = Math.floor(units / perSecond);
  const rest = units - seconds * perSecond;
  if (seconds < 0 || seconds >= SECONDS_PER_DAY) return undefined;
  const clock = clockText(seconds);
  return rest === 0 ? clock : `${clock}.${String(rest).padStart(digits, '0')}`;
}

function floorDivide(units: bigint, perSecond: number): number {
  const quotient = units / BigInt(perSecond);
  return Number(units < quotient * BigInt(perSecond) ? quotient - 1n : quotient);
}

function isoOf(milliseconds: number): string | null {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Days of the calendar as texts: the rows of a table share few of them, and working one out costs more than a look. */
const calendar = new Map<number, string>();

function calendarDay(days: number): string {
  const known = calendar.get(days);
  if (known !== undefined) return known;
  const iso = new Date(days * MS_PER_DAY).toISOString().slice(0, -'T00:00:00.000Z'.length);
  // JavaScript writes years of more than four digits with a sign and six digits; the source writes just the year.
  const day = iso.startsWith('+') ? iso.slice(1).replace(/^0/, '') : iso;
  if (calendar.size >= MAX_CALENDAR_DAYS) calendar.clear();
  calendar.set(days, day);
  return day;
}

function clockText(secondOfDay: number): string {
  const hours = Math.floor(secondOfDay / 3600);
  const minutes = Math.floor(secondOfDay / 60) % 60;
  return `${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[secondOfDay % 60]}`;
}
