import type { Death } from './faultProxy.ts';

/** `npm run test:faults` sets 1: there processes die at every place. Odd, so that a sample has before and after in turns. */
const STEP = Number(process.env.DEATH_STEP ?? 9);

/** Where a process dies: after so many writes, and whether the next one still gets through. */
export interface DeathPlace {
  readonly writes: number;
  readonly death: Death;
}

/** The places in a life of `total` writes at which a process is to die: in `npm test` a sample of them. */
export function* deaths(total: number): Generator<DeathPlace> {
  const places = Array.from({ length: total }, (_, writes) => [
    { writes, death: 'before' as const },
    { writes, death: 'after' as const },
  ]).flat();
  for (let at = 0; at < places.length; at += STEP) yield places[at] as DeathPlace;
}
