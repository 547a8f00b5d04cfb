/** When an operation was done, as far as the source tells. */
export interface OpTime {
  /** UTC with nine digits of a second: 29 characters that compare as times do. */
  readonly sortable: string;
  /** ISO 8601 in UTC, with every digit that was sent. */
  readonly iso: string;
}

/** Blank, `T` and `:` between date and time are all in use; so are times with and without a zone. */
const SECOND = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[T :](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const DATE_LENGTH = 'yyyy-mm-dd'.length;
/** No source has clocks of more digits; what has is something else. */
const REST = /^(?:[.,](\d{1,30}))?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/;
const FRACTION_DIGITS = 9;
const SECOND_LENGTH = 'yyyy-mm-ddThh:mm:ss'.length;
const MINUTE_LENGTH = 'yyyy-mm-ddThh:mm:'.length;
const MS_PER_MINUTE = 60_000;
const [ZERO, FIVE, NINE] = ['0'.charCodeAt(0), '5'.charCodeAt(0), '9'.charCodeAt(0)];

/** Reads the times of a stream whose times without a zone are of `timeZone` (IANA). */
export class OpTimeReader {
  readonly #timeZone: string;
  readonly #isUtc: boolean;
  #format: Intl.DateTimeFormat | undefined;
  /** What was read last: the operations of one transaction, and of one minute, share all or most of it. */
  #text = '';
  #time: OpTime | undefined;
  #minute = '';
  #zone: string | undefined;
  #utcMinute = '';
  #rest = '';
  #restRead: Rest | undefined = readRest('');

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
    this.#isUtc = timeZone === 'UTC' || timeZone === 'Etc/UTC';
  }

  /** Undefined for what is no time. */
  read(text: string): OpTime | undefined {
    if (text === this.#text) return this.#time;
    this.#text = text;
    this.#time = this.#read(text);
    return this.#time;
  }

  #read(text: string): OpTime | undefined {
    if (text.length !== SECOND_LENGTH + this.#rest.length || !text.endsWith(this.#rest)) {
      this.#rest = text.slice(SECOND_LENGTH);
      this.#restRead = readRest(this.#rest);
    }
    if (this.#restRead === undefined) return undefined;
    const { sortable, iso, zone } = this.#restRead;
    const isKnown = this.#minute !== '' && zone === this.#zone && text.startsWith(this.#minute) && hasSecond(text);
    if (!isKnown && !this.#enterMinute(text, zone)) return undefined;
    const utc = this.#utcMinute + text.slice(MINUTE_LENGTH, SECOND_LENGTH);
    return { sortable: utc + sortable, iso: utc + iso };
  }

  /** Since 1972 every zone's clocks have been whole minutes from UTC: a minute's seconds have all the same place in it. */
  #enterMinute(text: string, zone: string | undefined): boolean {
    const utcSecond = this.#inUtc(text.slice(0, SECOND_LENGTH), zone);
    if (utcSecond === undefined) return false;
    this.#minute = text.slice(0, MINUTE_LENGTH);
    this.#zone = zone;
    this.#utcMinute = utcSecond.slice(0, MINUTE_LENGTH);
    return true;
  }

  #inUtc(second: string, zone: string | undefined): string | undefined {
    if (!SECOND.test(second)) return undefined;
    const local = `${second.slice(0, DATE_LENGTH)}T${second.slice(DATE_LENGTH + 1)}`;
    if (zone === 'Z' || zone === 'UTC' || (zone === undefined && this.#isUtc)) return local;
    const localMs = Date.parse(`${local}Z`);
    if (Number.isNaN(localMs)) return undefined;
    return new Date(localMs - this.#offsetMs(zone, localMs)).toISOString().slice(0, SECOND_LENGTH);
  }

  #offsetMs(zone: string | undefined, localMs: number): number {
    if (zone !== undefined) return offsetOf(zone);
    // The offset depends on the instant, and the instant on the offset: near a change of clocks the second look counts.
    return this.#zoneOffsetMs(localMs - this.#zoneOffsetMs(localMs));
  }

  /** How far the zone's clocks are ahead of UTC at an instant. */
  #zoneOffsetMs(instantMs: number): number {
    this.#format ??= new Intl.DateTimeFormat('en', { timeZone: this.#timeZone, timeZoneName: 'longOffset' });
    const name = this.#format.formatToParts(instantMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return name === 'GMT' ? 0 : offsetOf(name.replace('GMT', ''));
  }
}

/** What follows the second: the two spellings of its fraction, and the zone. */
interface Rest {
  readonly sortable: string;
  readonly iso: string;
  readonly zone: string | undefined;
}

function readRest(text: string): Rest | undefined {
  const parts = REST.exec(text);
  if (parts === null) return undefined;
  const [, fraction = '', zone] = parts;
  return {
    sortable: `.${fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0')}`,
    iso: fraction === '' ? 'Z' : `.${fraction}Z`,
    zone,
  };
}

/** `+hh:mm` or `+hhmm` in milliseconds. */
function offsetOf(zone: string): number {
  const digits = zone.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4));
  return (zone.startsWith('-') ? -minutes : minutes) * MS_PER_MINUTE;
}

/** Whether `text` has seconds where they belong, as `SECOND` asks for them. */
function hasSecond(text: string): boolean {
  const tens = text.charCodeAt(MINUTE_LENGTH);
  const ones = text.charCodeAt(MINUTE_LENGTH + 1);
  return tens >= ZERO && tens <= FIVE && ones >= ZERO && ones <= NINE;
}
