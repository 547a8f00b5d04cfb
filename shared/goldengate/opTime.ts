/** When an operation was done, as far as the source tells. */
export interface OpTime {
  /** UTC with nine digits of a second: 29 characters that compare as times do. */
  readonly sortable: string;
  /** ISO 8601 in UTC, with every digit that was sent. */
  readonly iso: string;
}

/** Blank, `T` and `:` between date and time are all in use; so are times with and without a zone. */
const TIME = /^(\d{4}-\d\d-\d\d)[T :](\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/;
const FRACTION_DIGITS = 9;
const SECONDS_LENGTH = 'yyyy-mm-ddThh:mm:ss'.length;
const HOUR_LENGTH = 'yyyy-mm-ddThh'.length;
const MS_PER_MINUTE = 60_000;
/** Offsets change at full hours or at parts of them, seldom: one look-up per hour of data. */
const MAX_REMEMBERED_HOURS = 1_000;

/** Reads the times of a stream whose times without a zone are of `timeZone` (IANA). */
export class OpTimeReader {
  readonly #timeZone: string;
  readonly #isUtc: boolean;
  readonly #offsets = new Map<string, number>();
  #format: Intl.DateTimeFormat | undefined;
  /** Operations of one transaction, and of one second, have one time. */
  #last: { readonly text: string; readonly time: OpTime | undefined } = { text: '', time: undefined };

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
    this.#isUtc = timeZone === 'UTC' || timeZone === 'Etc/UTC';
  }

  /** Undefined for what is no time. */
  read(text: string): OpTime | undefined {
    if (this.#last.text !== text) this.#last = { text, time: this.#read(text) };
    return this.#last.time;
  }

  #read(text: string): OpTime | undefined {
    const match = TIME.exec(text);
    if (match === null) return undefined;
    const [, date, time, fraction = '', zone] = match;
    const local = `${date}T${time}`;
    const localMs = Date.parse(`${local}Z`);
    if (Number.isNaN(localMs)) return undefined;
    const offsetMs = this.#offsetMs(zone, local, localMs);
    const seconds = offsetMs === 0 ? local : new Date(localMs - offsetMs).toISOString().slice(0, SECONDS_LENGTH);
    return {
      sortable: `${seconds}.${fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0')}`,
      iso: fraction === '' ? `${seconds}Z` : `${seconds}.${fraction}Z`,
    };
  }

  #offsetMs(zone: string | undefined, local: string, localMs: number): number {
    if (zone === 'Z' || zone === 'UTC') return 0;
    if (zone !== undefined) return offsetOf(zone);
    if (this.#isUtc) return 0;
    // Half-hour zones change on half hours too: the remembered stretch is that of one spelling of the minute.
    const stretch = `${local.slice(0, HOUR_LENGTH)}${local[HOUR_LENGTH + 1]}`;
    const known = this.#offsets.get(stretch);
    if (known !== undefined) return known;
    const guess = this.#zoneOffsetMs(localMs);
    const offset = this.#zoneOffsetMs(localMs - guess);
    if (this.#offsets.size >= MAX_REMEMBERED_HOURS) this.#offsets.clear();
    this.#offsets.set(stretch, offset);
    return offset;
  }

  /** How far the zone's clocks are ahead of UTC at an instant. */
  #zoneOffsetMs(instantMs: number): number {
    this.#format ??= new Intl.DateTimeFormat('en', { timeZone: this.#timeZone, timeZoneName: 'longOffset' });
    const name = this.#format.formatToParts(instantMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return name === 'GMT' ? 0 : offsetOf(name.replace('GMT', ''));
  }
}

/** `+hh:mm` or `+hhmm` in milliseconds. */
function offsetOf(zone: string): number {
  const digits = zone.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4));
  return (zone.startsWith('-') ? -minutes : minutes) * MS_PER_MINUTE;
}
