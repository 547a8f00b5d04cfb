import type { Outcome } from '../ingest/delivery.ts';
import type { DeadLetterReason } from '../ingest/reasons.ts';

/** What the sender of a request is told once every record in it is durable: the body of a 200. */
export interface Answer {
  /** Records in the body; each is counted in exactly one of the numbers that follow. */
  readonly received: number;
  readonly applied: number;
  readonly duplicate: number;
  readonly stale: number;
  /** Waiting for what tells their key. */
  readonly parked: number;
  readonly deadLettered: number;
  /** Metadata and schemas. */
  readonly catalog: number;
  /** Records that are about no row and no table. */
  readonly ignored: number;
  readonly errors: readonly RecordError[];
}

/** A record that was dead-lettered. It is kept; sending it again would only fail again. */
export interface RecordError {
  /** Position among all parts of the body, from 0. */
  readonly index: number;
  readonly reason: DeadLetterReason;
  readonly detail: string;
  readonly deadLetterId: string;
}

/** The one place that says what an outcome is called in an answer. */
const COUNTED_AS = {
  applied: 'applied',
  duplicate: 'duplicate',
  stale: 'stale',
  parked: 'parked',
  // No HTTP source has pieces; one that had would hold them until the rest comes.
  segment: 'parked',
  deadLettered: 'deadLettered',
  catalog: 'catalog',
  ignored: 'ignored',
} as const satisfies Record<Outcome['outcome'], keyof Answer>;

/** `outcomes` stand in the order of the body's records. */
export function toAnswer(outcomes: readonly Outcome[]): Answer {
  const counts = { applied: 0, duplicate: 0, stale: 0, parked: 0, deadLettered: 0, catalog: 0, ignored: 0 };
  const errors: RecordError[] = [];
  outcomes.forEach((each, index) => {
    counts[COUNTED_AS[each.outcome]]++;
    if (each.outcome !== 'deadLettered') return;
    const { reason, detail, deadLetterId } = each;
    errors.push({ index, reason, detail, deadLetterId });
  });
  return { received: outcomes.length, ...counts, errors };
}
