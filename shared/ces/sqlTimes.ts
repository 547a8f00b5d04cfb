const DATE = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?';
const ZONE = ' ?(?:Z|[+-](?:0\\d|1[0-4]):[0-5]\\d)';
const MOMENT = new RegExp(`^${DATE}(?:[ T]${CLOCK}(?:${ZONE})?)?$`);
const TIME = new RegExp(`^${CLOCK}$`);
const PARTS = /^(.{10})(?:T([\d:]+)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?)?$/;

/** Every month has so many days. */
const SHORTEST_MONTH_DAYS = 28;

/**
 * A date, or a date and time of day with or without zone, as ISO 8601: `T` between date and time, every fractional digit
 * and the zone as sent, no zone where none was sent. Takes the forms of SQL Server (`2026-08-07 16:25:00.8833333`, `… +02:00`)
 * and ISO itself; undefined for anything else.
 */
export function isoMoment(text: string): string | undefined {
  if (!MOMENT.test(text) || !isDay(text)) return undefined;
  return text.length === 10 ? text : `${text.slice(0, 10)}T${text.slice(11).replace(' ', '')}`;
}

/** `text` is a time of day as SQL Server and ISO 8601 write it. */
export function isTime(text: string): boolean {
  return TIME.test(text);
}

/** One text for each time of day: with seconds, without zeros that end the fraction. Other texts as they are. */
export function canonicalTime(text: string): string {
  if (!TIME.test(text)) return text;
  const [clock = '', fraction] = text.split('.');
  return withSeconds(clock) + canonicalFraction(fraction);
}

/**
 * One text for each value of a date column, a date-and-time column, or one with offset, given what `isoMoment` returned.
 * Like the server, it takes values with offset to be equal where they are the same instant. Other texts as they are.
 */
export function canonicalMoment(iso: string, kind: 'date' | 'datetime' | 'datetimeoffset'): string {
  const parts = PARTS.exec(iso);
  if (parts === null || isoMoment(iso) === undefined) return iso;
  const [, date = '', clock = '00:00:00', fraction, zone = ''] = parts;
  const seconds = withSeconds(clock);
  const rest = canonicalFraction(fraction);
  if (kind === 'date' && seconds === '00:00:00' && rest === '' && zone === '') return date;
  if (kind !== 'datetimeoffset' || zone === '') return `${date}T${seconds}${rest}${zone}`;
  const instant = new Date(`${date}T${seconds}${zone}`);
  return `${instant.toISOString().slice(0, -'.000Z'.length)}${rest}Z`;
}

/** What the source sends, save for the last days of long months. */
const USUAL_UTC = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/**
 * The envelope's `time` as ISO 8601 in UTC, with three fractional digits or as many more as were sent; null where it is no
 * time. Without zone it is taken to be UTC, which is what the source documents.
 */
export function utcTime(text: string | null): string | null {
  if (text === null || USUAL_UTC.test(text)) return text;
  const iso = isoMoment(text);
  if (iso === undefined) return null;
  const [, date = '', clock = '00:00', fraction = '', zone = 'Z'] = PARTS.exec(iso) ?? [];
  const instant = new Date(`${date}T${withSeconds(clock)}${zone}`);
  return `${instant.toISOString().slice(0, -'.000Z'.length)}.${fraction.padEnd(3, '0')}Z`;
}

function withSeconds(clock: string): string {
  return clock.length === 5 ? `${clock}:00` : clock;
}

function canonicalFraction(fraction = ''): string {
  const digits = fraction.replace(/0+$/, '');
  return digits === '' ? '' : `.${digits}`;
}

function isDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day <= SHORTEST_MONTH_DAYS) return true;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  return day <= daysInMonth(year, month);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
