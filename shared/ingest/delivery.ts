import type { NormalizedChange } from '../change/change.ts';
import type { JsonValue } from '../change/json.ts';
import type { DeadLetterReason, UnprocessableError } from './reasons.ts';

/** One message as its source delivered it. */
export interface RawRecord {
  /** Where it stood: equal whenever the same message is delivered again. */
  readonly position: { readonly [name: string]: JsonValue };
  readonly bytes: Uint8Array;
  /** When it first came, see `arrival.ts`; only where that decides its order. */
  readonly arrival?: string;
}

/** One record and what it decodes to. */
export interface Delivery extends RawRecord {
  readonly decoded: NormalizedChange | UnprocessableError;
  /** All messages of a record that came in pieces, the last of which `bytes` is. Asked for only when it becomes a dead letter. */
  readonly pieces?: () => Promise<readonly RawRecord[]>;
}

/**
 * What became of a message, once it is durable. `applied`: recorded, and its row shows it. `duplicate`: known from an
 * earlier delivery. `stale`: recorded, but its row already held something newer. `segment`: one piece of a split event,
 * held or used. `parked`: waits for what tells its key. `catalog`: told of tables or schemas. `ignored`: about no row and
 * no table. `deadLettered`: kept for an operator.
 */
export type Outcome =
  | { readonly outcome: 'applied' | 'duplicate' | 'stale' | 'segment' | 'parked' | 'catalog' | 'ignored' }
  | {
      readonly outcome: 'deadLettered';
      readonly reason: DeadLetterReason;
      readonly detail: string;
      readonly deadLetterId: string;
    };
