/** What is counted by the minute, in the order in which a ring's cells hold it. */
export const MINUTE_COUNTS = [
  'received',
  'applied',
  'duplicate',
  'stale',
  'parked',
  'deadLettered',
  'segments',
] as const;

export type MinuteCount = (typeof MINUTE_COUNTS)[number];

/** Minutes since 1970 -> counts in the order of `MINUTE_COUNTS`. Minutes in which nothing came are absent. */
export type MinuteCells = { readonly [minute: string]: readonly number[] };

/** One minute of a stream. */
export type MinuteNumbers = { readonly [name in MinuteCount]: number } & {
  /** Start of the minute, ISO 8601. */
  readonly at: string;
};

export const MINUTES_KEPT = 60;
const MS_PER_MINUTE = 60_000;

/** The last hour, minute by minute. What is older is dropped as time goes on. */
export class MinuteRing {
  readonly #cells = new Map<number, number[]>();

  add(counts: { readonly [name in MinuteCount]: number }, now = Date.now()): void {
    const minute = minuteOf(now);
    for (const old of this.#cells.keys()) if (old <= minute - MINUTES_KEPT) this.#cells.delete(old);
    const cell = this.#cells.get(minute) ?? MINUTE_COUNTS.map(() => 0);
    this.#cells.set(
      minute,
      MINUTE_COUNTS.map((name, index) => (cell[index] ?? 0) + counts[name]),
    );
  }

  cells(): MinuteCells {
    return Object.fromEntries(this.#cells);
  }
}

/** The last hour of several rings in one, oldest minute first, the current one last; quiet minutes included. */
export function lastHour(rings: readonly MinuteCells[], now = Date.now()): MinuteNumbers[] {
  const newest = minuteOf(now);
  return Array.from({ length: MINUTES_KEPT }, (_, index) => {
    const minute = newest - MINUTES_KEPT + 1 + index;
    const sum = (position: number) => rings.reduce((all, ring) => all + (ring[minute]?.[position] ?? 0), 0);
    const [received, applied, duplicate, stale, parked, deadLettered, segments] = MINUTE_COUNTS.map((_, at) => sum(at));
    return {
      at: new Date(minute * MS_PER_MINUTE).toISOString(),
      received: received ?? 0,
      applied: applied ?? 0,
      duplicate: duplicate ?? 0,
      stale: stale ?? 0,
      parked: parked ?? 0,
      deadLettered: deadLettered ?? 0,
      segments: segments ?? 0,
    };
  });
}

function minuteOf(milliseconds: number): number {
  return Math.floor(milliseconds / MS_PER_MINUTE);
}
