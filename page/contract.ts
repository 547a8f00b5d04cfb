/** What the API answers, as far as the page reads it. Times are ISO 8601 in UTC. */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };
export type Columns = { readonly [column: string]: JsonValue };

export interface Minute {
  readonly at: string;
  readonly received: number;
  readonly applied: number;
  readonly duplicate: number;
  readonly stale: number;
  readonly parked: number;
  readonly deadLettered: number;
  readonly segments: number;
}

export interface StreamStatus {
  readonly source: string;
  readonly stream: string;
  readonly received: number;
  readonly applied: number;
  readonly duplicate: number;
  readonly stale: number;
  readonly parked: number;
  readonly deadLettered: number;
  readonly bytes: number;
  readonly requestUnits: number;
  readonly throttled: number;
  readonly lagSeconds: number | null;
  readonly incompleteEvents: number;
  readonly oldestIncompleteAt: string | null;
  /** Pieces of split events that are held. */
  readonly pendingSegments: number;
  readonly parkedNow: number;
  readonly oldestParkedAt: string | null;
  readonly error: string | null;
  readonly updatedAt: string | null;
  readonly instances: readonly { readonly instance: string; readonly updatedAt: string }[];
  readonly minutes: readonly Minute[];
  /** How the hub's partitions stand; null where there are none, and when the hub does not answer. */
  readonly partitions: readonly { readonly partition: string; readonly waitingEvents: number }[] | null;
}

export interface TimerStatus {
  readonly name: string;
  readonly lastRunAt: string | null;
  readonly late: boolean;
  /** What the newest run failed with. */
  readonly error: string | null;
}

export interface Status {
  readonly generatedAt: string;
  readonly streams: readonly StreamStatus[];
  readonly timers: readonly TimerStatus[];
  readonly deadLettersTotal: number;
}

export interface Health {
  readonly status: 'up' | 'down';
  readonly dependencies: {
    readonly [name: string]: { readonly status: string; readonly milliseconds: number; readonly detail?: string };
  };
}

export interface TableSummary {
  readonly table: string;
  readonly source: string;
  readonly stream: string;
  readonly rows: number;
  readonly tombstones: number;
}

export interface RowDocument {
  readonly id: string;
  readonly table: string;
  readonly keys: Columns;
  readonly row: Columns;
  readonly deleted: boolean;
  readonly token: string;
  readonly source: string;
  readonly stream: string;
  readonly committedAt: string | null;
  readonly updatedAt: string;
}

export interface Change {
  readonly table: string;
  readonly op: string;
  readonly image: string;
  readonly key: string;
  readonly keys: Columns | null;
  readonly before: Columns | null;
  readonly after: Columns | null;
  readonly committedAt: string | null;
  readonly transaction: { readonly id: string } | null;
  readonly ingestedAt?: string;
  readonly flag?: string;
  readonly movedFrom?: { readonly key: string };
  readonly movedTo?: { readonly key: string };
}

export interface DeadLetterSummary {
  readonly id: string;
  readonly stream: string;
  readonly source: string;
  readonly reason: string;
  readonly explanation: string;
  readonly detail: string;
  readonly position: Columns;
  readonly byteLength: number;
  readonly receivedAt: string;
  readonly tries: number;
}

export interface DeadLetter extends DeadLetterSummary {
  /** Base64; empty for a record that came in pieces. */
  readonly bytes: string;
  readonly pieces: readonly { readonly bytes: string }[];
  /** The bytes as text where they are text, cut. */
  readonly text: string | null;
  /** The changes in it as far as today's code reads them, and what it cannot read. */
  readonly decoded: {
    readonly changes?: readonly Change[];
    readonly error?: { readonly reason: string; readonly detail: string };
  };
}

/** Which dead letters: every part that is there has to match. */
export interface DeadLetterFilter {
  readonly stream?: string;
  readonly reason?: string;
  readonly from?: string;
  readonly to?: string;
}

/** What became of a replay: each record counts in `replayed`, `stillDead` or `missing`; outcomes count the replayed. */
export interface Replayed {
  readonly replayed: number;
  readonly applied: number;
  readonly duplicate: number;
  readonly stale: number;
  readonly stillDead: number;
  readonly segments: number;
  readonly parked: number;
  readonly catalog: number;
  readonly ignored: number;
  readonly missing: number;
  /** How many are left for the next call, which `continuation` is for; null: none. */
  readonly remaining: number;
  readonly continuation: string | null;
  /** Of those that are still dead. */
  readonly errors: readonly { readonly reason: string; readonly detail: string }[];
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly continuation: string | null;
}
