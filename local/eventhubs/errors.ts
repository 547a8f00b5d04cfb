/** An AMQP error as it is put on the wire, in a detach, a rejection or a management answer. */
export interface AmqpErrorFields {
  readonly condition: AmqpCondition;
  readonly description: string;
}

/**
 * Conditions that the broker uses. The client decides by the condition whether it tries again, and takes an unknown one for a
 * transient failure: only conditions from its own list belong here (`ConditionErrorNameMapper` in @azure/core-amqp).
 */
export const AMQP_CONDITION = {
  notFound: 'amqp:not-found',
  notAllowed: 'amqp:not-allowed',
  notImplemented: 'amqp:not-implemented',
  decodeError: 'amqp:decode-error',
  resourceLimitExceeded: 'amqp:resource-limit-exceeded',
  messageSizeExceeded: 'amqp:link:message-size-exceeded',
  stolen: 'amqp:link:stolen',
  connectionForced: 'amqp:connection:forced',
  argumentError: 'com.microsoft:argument-error',
  argumentOutOfRange: 'com.microsoft:argument-out-of-range',
} as const;

export type AmqpCondition = (typeof AMQP_CONDITION)[keyof typeof AMQP_CONDITION];

/** Thrown while a request of a client is handled, and answered to it. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly condition: AmqpCondition;

  constructor(condition: AmqpCondition, description: string, options?: ErrorOptions) {
    super(description, options);
    this.condition = condition;
  }

  /** The fields to put on the wire. */
  get fields(): AmqpErrorFields {
    return { condition: this.condition, description: this.message };
  }
}

/** Thrown by `startBroker` and `addHub` for hubs that cannot exist: a bad name, a bad number of partitions, a name taken. */
export class HubConfigError extends Error {
  override readonly name = 'HubConfigError';
}

/** What the service says about a hub or consumer group that does not exist; the client recognises the sentence. */
export function entityNotFound(entity: string): RefusedError {
  return new RefusedError(AMQP_CONDITION.notFound, `The messaging entity '${entity}' could not be found.`);
}

/** What the service says about a partition that does not exist. */
export function partitionNotFound(partitionId: string, partitionCount: number): RefusedError {
  return new RefusedError(
    AMQP_CONDITION.argumentOutOfRange,
    'The specified partition is invalid for an EventHub partition sender or receiver. ' +
      `It should be between 0 and ${partitionCount - 1}, not '${partitionId}'.`,
  );
}
