import { type TokenRank, tokenOf } from '../change/tokens.ts';

/** What a source knows of a change's order. Its token is `prefix`, the arrival, and the rank. */
export interface Order {
  /** Of fixed width per stream, and free of `~`; empty where arrival alone decides. */
  readonly prefix: string;
  readonly rank: TokenRank;
}

const CLOCK_DIGITS = 14;
const INDEX_DIGITS = 6;
/** Places in one request that an arrival can tell apart. */
const MAX_INDEX = 10 ** INDEX_DIGITS - 1;
const MARK = '~';
/** Greater than what ends an arrival in a token, and than what follows it in a place: what has more of it comes after. */
const LIST_MARK = ';';
const PLACE = `\\d{${INDEX_DIGITS}}(?:${LIST_MARK}\\d{${INDEX_DIGITS}})*`;
const ARRIVAL_IN_TOKEN = new RegExp(`${MARK}(\\d{${CLOCK_DIGITS}})(${PLACE}:\\d)$`);

/**
 * An arrival: a clock reading (milliseconds since 1970) and a place in a request, as text that compares as they do.
 * Throws RangeError for a place beyond a million.
 */
export function arrivalText(clockMs: number, index: number): string {
  if (index > MAX_INDEX) throw new RangeError(`a request has at most ${MAX_INDEX + 1} records`);
  return clockText(clockMs) + String(index).padStart(INDEX_DIGITS, '0');
}

/** The arrival of the record that stands at `place`, from 0, in a list that arrived as one record. */
export function arrivalInList(arrival: string, place: number): string {
  return place === 0 ? arrival : `${arrival}${LIST_MARK}${String(place).padStart(INDEX_DIGITS, '0')}`;
}

/** `arrival` if it is after `other`, else with the least clock reading with which it is. */
export function arrivalAfter(arrival: string, other: string): string {
  if (arrival > other) return arrival;
  const clockMs = clockOfArrival(other);
  const sameClock = clockText(clockMs) + arrival.slice(CLOCK_DIGITS);
  return sameClock > other ? sameClock : clockText(clockMs + 1) + arrival.slice(CLOCK_DIGITS);
}

/** The place in the request in an arrival. */
export function indexOfArrival(arrival: string): number {
  return Number(arrival.slice(CLOCK_DIGITS, CLOCK_DIGITS + INDEX_DIGITS));
}

/** The whole token of a change that arrived at `arrival`. */
export function arrivalToken({ prefix, rank }: Order, arrival: string): string {
  return tokenOf(`${prefix}${MARK}${arrival}`, rank);
}

/** What all tokens of `prefix` begin with, whatever arrived. */
export function beginningOf(prefix: string): string {
  return `${prefix}${MARK}`;
}

/** The clock reading in `token`; 0 for a token that has none. */
export function arrivalClockOf(token: string): number {
  return Number(ARRIVAL_IN_TOKEN.exec(token)?.[1] ?? 0);
}

/** The clock reading in an arrival. */
export function clockOfArrival(arrival: string): number {
  return Number(arrival.slice(0, CLOCK_DIGITS));
}

/** `token` with another clock reading. */
export function withArrivalClock(token: string, clockMs: number): string {
  return token.replace(ARRIVAL_IN_TOKEN, (_, _clock, rest: string) => `${MARK}${clockText(clockMs)}${rest}`);
}

function clockText(clockMs: number): string {
  return String(clockMs).padStart(CLOCK_DIGITS, '0');
}
