import type { JsonValue } from './contract.ts';

const MS_PER_SECOND = 1_000;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const BIGGEST_WHOLE = 99_999;

/** `1,234`, and `1.23M` where that would be too long. */
export function count(value: number): string {
  return value > BIGGEST_WHOLE ? compact.format(value) : whole.format(value);
}

/** `1 row`, `2 rows`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A rate per second with as many digits as help: `0`, `0.4`, `12.5`, `340`. */
export function rate(perSecond: number): string {
  if (perSecond > 0 && perSecond < 0.1) return '<0.1';
  if (perSecond < 100) return String(Number(perSecond.toFixed(1)));
  return count(perSecond);
}

/** `0.4 s`, `42 s`, `3 min`, `2 h`, `5 d`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${Number(Math.max(0, seconds).toFixed(1))} s`;
  if (seconds < 2 * MINUTE_SECONDS) return `${Math.round(seconds)} s`;
  if (seconds < 2 * HOUR_SECONDS) return `${Math.round(seconds / MINUTE_SECONDS)} min`;
  if (seconds < 2 * DAY_SECONDS) return `${Math.round(seconds / HOUR_SECONDS)} h`;
  return `${Math.round(seconds / DAY_SECONDS)} d`;
}

/** Seconds from `from` to `to`, both ISO 8601. */
export function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / MS_PER_SECOND;
}

/** `2026-08-07 16:25:00`, in the viewer's zone. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${clock(time)}`;
}

/** `16:25:00`, in the viewer's zone. */
export function clock(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** `812 B`, `4.1 KB`, `2 MB`. */
export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
  const power = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log(value) / Math.log(1024)));
  return `${Number((value / 1024 ** power).toFixed(power === 0 ? 0 : 1))} ${units[power]}`;
}

/** A value as people read it: text as it is, everything else as JSON. */
export function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** At most `length` characters; never half of a surrogate pair. */
export function shorten(text: string, length: number): string {
  const characters = [...text.slice(0, 2 * length + 2)];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

/** The name of a table without the source and stream before it: `ces/sales/Shop.dbo.Orders` -> `Shop.dbo.Orders`. */
export function tableName(table: string): string {
  return table.split('/').slice(2).join('/') || table;
}

const BYTES_PER_LINE = 16;

/** The classic dump: offset, bytes in hex, printable ASCII. */
export function hexDump(data: Uint8Array): string {
  const lines: string[] = [];
  for (let offset = 0; offset < data.length; offset += BYTES_PER_LINE) {
    const line = [...data.subarray(offset, offset + BYTES_PER_LINE)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${offset.toString(16).padStart(6, '0')}  ${hex.padEnd(BYTES_PER_LINE * 3 - 1)}  ${text}`);
  }
  return lines.join('\n');
}
