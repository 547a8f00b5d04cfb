import type { Minute, StreamStatus } from '../contract.ts';

export const MINUTES = 60;
const MS_PER_MINUTE = 60_000;

/** What the chart stacks, from the bottom up. Every outcome has a name beside its colour. */
export const OUTCOMES = [
  { name: 'applied', title: 'applied' },
  { name: 'duplicate', title: 'duplicate' },
  { name: 'stale', title: 'stale' },
  { name: 'segments', title: 'segments' },
  { name: 'parked', title: 'parked' },
  { name: 'deadLettered', title: 'dead-lettered' },
] as const satisfies readonly { name: Exclude<keyof Minute, 'at'>; title: string }[];

export type OutcomeName = (typeof OUTCOMES)[number]['name'];

export interface MinuteSum {
  /** Start of the minute, milliseconds since 1970. */
  readonly at: number;
  readonly counts: Readonly<Record<OutcomeName, number>>;
  readonly total: number;
}

/** The last hour up to `now`, oldest minute first, added up over `streams`; a minute nobody counted in has zeros. */
export function lastHour(streams: readonly Pick<StreamStatus, 'minutes'>[], now: string): MinuteSum[] {
  const newest = Math.floor(Date.parse(now) / MS_PER_MINUTE) * MS_PER_MINUTE;
  const byMinute = new Map<number, Minute[]>();
  for (const minute of streams.flatMap(({ minutes }) => minutes)) {
    const at = Math.floor(Date.parse(minute.at) / MS_PER_MINUTE) * MS_PER_MINUTE;
    byMinute.set(at, [...(byMinute.get(at) ?? []), minute]);
  }
  return Array.from({ length: MINUTES }, (_, index) => {
    const at = newest - (MINUTES - 1 - index) * MS_PER_MINUTE;
    const of = byMinute.get(at) ?? [];
    const sum = (name: OutcomeName) => of.reduce((all, minute) => all + (minute[name] ?? 0), 0);
    const counts = {
      applied: sum('applied'),
      duplicate: sum('duplicate'),
      stale: sum('stale'),
      segments: sum('segments'),
      parked: sum('parked'),
      deadLettered: sum('deadLettered'),
    };
    return { at, counts, total: Object.values(counts).reduce((all, count) => all + count, 0) };
  });
}

/** The top of the scale, not below `largest`: even, so that its middle is a whole number too. */
export function niceTop(largest: number): number {
  if (largest <= 4) return 4;
  if (largest <= 10) return largest + (largest % 2);
  const power = 10 ** Math.floor(Math.log10(largest));
  return ([1, 2, 4, 6, 8, 10].find((step) => step * power >= largest) ?? 10) * power;
}
