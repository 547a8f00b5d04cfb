import type { Status, StreamStatus } from './contract.ts';

/** What moves per second, from the counts of two answers. */
export interface Rate {
  readonly received: number;
  readonly applied: number;
}

/** Long enough to smooth counts that are saved once per batch, short enough to follow. */
const WINDOW_MS = 10_000;
const MS_PER_SECOND = 1_000;
export const STANDSTILL: Rate = { received: 0, applied: 0 };

interface Sample {
  readonly at: number;
  readonly counts: ReadonlyMap<string, Rate>;
}

/** The name that tells streams of different sources apart. */
export function streamKey({ source, stream }: Pick<StreamStatus, 'source' | 'stream'>): string {
  return `${source}/${stream}`;
}

/**
 * Rates over the last ten seconds of answers, by the clock of whoever answered. The oldest answer that is kept is the
 * last one before the window, so that a rate is there from the second answer on.
 */
export class RateMeter {
  #samples: Sample[] = [];

  /** Takes an answer in and returns the rate of each of its streams. */
  add({ generatedAt, streams }: Pick<Status, 'generatedAt' | 'streams'>): ReadonlyMap<string, Rate> {
    const at = Date.parse(generatedAt);
    const counts = new Map(
      streams.map((each) => [streamKey(each), { received: each.received, applied: each.applied }]),
    );
    if ((this.#samples.at(-1)?.at ?? 0) < at) this.#samples.push({ at, counts });
    const beforeWindow = this.#samples.findLastIndex((sample) => sample.at <= at - WINDOW_MS);
    if (beforeWindow > 0) this.#samples = this.#samples.slice(beforeWindow);
    const [oldest] = this.#samples;
    return new Map(
      [...counts].map(([key, now]) => [key, rateBetween(oldest?.counts.get(key), now, at - (oldest?.at ?? at))]),
    );
  }

  /** Forgets everything: after a pause, an average over it would mislead. */
  reset(): void {
    this.#samples = [];
  }
}

function rateBetween(then: Rate | undefined, now: Rate, elapsedMs: number): Rate {
  if (then === undefined || elapsedMs <= 0) return STANDSTILL;
  // A counter goes back when its document has expired: that is no negative traffic.
  const perSecond = (name: keyof Rate) => Math.max(0, ((now[name] - then[name]) * MS_PER_SECOND) / elapsedMs);
  return { received: perSecond('received'), applied: perSecond('applied') };
}
