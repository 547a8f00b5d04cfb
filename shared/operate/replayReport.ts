import type { Outcome } from '../ingest/delivery.ts';
import type { DeadLetterAddress } from '../store/deadLetters.ts';

/** What became of them. Each is counted in `replayed`, `stillDead` or `missing`; outcomes count the replayed ones. */
export interface ReplayReport {
  readonly replayed: number;
  readonly applied: number;
  readonly duplicate: number;
  readonly stale: number;
  /** Pieces of split events that wait for the rest again. */
  readonly segments: number;
  readonly parked: number;
  readonly catalog: number;
  readonly ignored: number;
  readonly stillDead: number;
  readonly missing: number;
  /** Of those that are still dead. */
  readonly errors: readonly ReplayError[];
  /** How many are left for the next call, which `continuation` is for. */
  readonly remaining: number;
  readonly continuation: string | null;
}

export interface ReplayError extends DeadLetterAddress {
  readonly reason: string;
  readonly detail: string;
}

const MAX_ERRORS = 100;

export type Taken = Exclude<Outcome['outcome'], 'deadLettered'>;
/** Of a record that held several changes, what it is counted as. */
export const MOST_TELLING: readonly Taken[] = [
  'applied',
  'stale',
  'duplicate',
  'parked',
  'segment',
  'catalog',
  'ignored',
];

/** What became of one letter. */
export type Verdict = { readonly taken: Taken } | DeadVerdict | 'missing';

export interface DeadVerdict {
  readonly dead: ReplayError;
}

const COUNTED_AS = {
  applied: 'applied',
  duplicate: 'duplicate',
  stale: 'stale',
  segment: 'segments',
  parked: 'parked',
  catalog: 'catalog',
  ignored: 'ignored',
} as const satisfies { [Name in Taken]: keyof ReplayReport };

/** Adds verdicts up. */
export class Tally {
  readonly #outcomes = { applied: 0, duplicate: 0, stale: 0, segments: 0, parked: 0, catalog: 0, ignored: 0 };
  readonly #errors: ReplayError[] = [];
  #replayed = 0;
  #stillDead = 0;
  #missing = 0;

  get letters(): number {
    return this.#replayed + this.#stillDead + this.#missing;
  }

  add(verdict: Verdict): void {
    if (verdict === 'missing') this.#missing++;
    else if ('taken' in verdict) {
      this.#replayed++;
      this.#outcomes[COUNTED_AS[verdict.taken]]++;
    } else {
      this.#stillDead++;
      if (this.#errors.length < MAX_ERRORS) this.#errors.push(verdict.dead);
    }
  }

  report(remaining: number, continuation: string | null): ReplayReport {
    return {
      replayed: this.#replayed,
      ...this.#outcomes,
      stillDead: this.#stillDead,
      missing: this.#missing,
      errors: this.#errors,
      remaining,
      continuation,
    };
  }
}
