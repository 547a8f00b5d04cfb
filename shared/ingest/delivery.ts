import type { NormalizedChange } from '../change/change.ts';
import type { JsonValue } from '../change/json.ts';
import type { DeadLetterReason, UnprocessableError } from './reasons.ts';

/** One record as its source delivered it. */
export interface Delivery {
  /** Where it stood: equal whenever the same record is delivered again. */
  readonly position: { readonly [name: string]: JsonValue };
  readonly bytes: Uint8Array;
  readonly decoded: NormalizedChange | UnprocessableError;
}

/**
 * What became of a delivery, once it is durable. `applied`: recorded, and its row shows it. `duplicate`: known from an
 * earlier delivery. `stale`: recorded, but its row already held something newer. `deadLettered`: kept for an operator.
 */
export type Outcome =
  | { readonly outcome: 'applied' | 'duplicate' | 'stale' }
  | {
      readonly outcome: 'deadLettered';
      readonly reason: DeadLetterReason;
      readonly detail: string;
      readonly deadLetterId: string;
    };
