/** Why a record became a dead letter: the closed list, each with one sentence for the operator. */
export const DEAD_LETTER_REASONS = {
  undecodable:
    'The bytes are in none of the formats that the source can send; look at the producer or at the hub that it writes to.',
  'invalid-envelope':
    'The message can be read but lacks what every message of this source has, or has it in another form.',
  'illegal-schema':
    'The Avro schema cannot be used, mostly because of a column with the name of another of its types; rename the column, or send JSON.',
  'unsupported-type': 'The message says it is of a type or version that Tributary does not know.',
  'segment-conflict':
    'Two segments of one event have the same index and different content; at most one of them is right.',
  'segment-timeout': 'Some segments of this event did not come in time; replay it when they may have come.',
  'segment-limit': 'The event has more segments or bytes than the settings allow; raise the limit and replay it.',
  'unknown-operation': 'The message names an operation that the source is not known to have.',
  'no-key': 'Nothing says which columns are the key of this table, so the row cannot be told from others.',
  'no-order': 'The message says nothing about when it happened relative to others, so it cannot be merged safely.',
  'store-rejected': 'Cosmos DB refused the document for what is in it; the detail says why.',
  'too-old':
    'The change is older than tombstones are kept, so it might bring a deleted row back; replay it with force.',
} as const;

export type DeadLetterReason = keyof typeof DEAD_LETTER_REASONS;

/** Thrown by decoders when a record cannot become a change. The record, not the batch, is at fault. */
export class UnprocessableError extends Error {
  override readonly name = 'UnprocessableError';
  readonly reason: DeadLetterReason;

  /** `detail` tells the operator what was found where; it never quotes row values. */
  constructor(reason: DeadLetterReason, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.reason = reason;
  }
}
