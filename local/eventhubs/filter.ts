import { AMQP_CONDITION, RefusedError } from './errors.ts';
import type { Partition, StoredEvent } from './partition.ts';

const EXPRESSION =
  /^\s*amqp\.annotation\.x-opt-(offset|sequence-number|enqueued-time)\s*(>=?)\s*'(-1|\d{1,19}|@latest)'\s*$/;

const BEFORE_ALL = '-1';
const AFTER_ALL = '@latest';

/**
 * Sequence number of the first event for a receiver whose attach carries this selector, for example
 * `amqp.annotation.x-opt-offset > '128'`; without a selector a receiver starts at the oldest event. A position beyond the newest
 * event is refused as by the service: it comes from a checkpoint of another broker, and events would be skipped in silence.
 * @throws RefusedError when the selector is not one of the client's or its position does not exist.
 */
export function startingSequenceNumber(selector: string | undefined, partition: Partition): number {
  if (selector === undefined) {
    return partition.firstSequenceNumber;
  }
  const [, field, operator, value] = EXPRESSION.exec(selector) ?? [];
  if (field === undefined || value === undefined) {
    throw new RefusedError(AMQP_CONDITION.argumentError, `The selector "${selector}" is not supported.`);
  }
  if (value === BEFORE_ALL) {
    return partition.firstSequenceNumber;
  }
  if (value === AFTER_ALL) {
    return partition.nextSequenceNumber;
  }
  const position = Number(value);
  const inclusive = operator === '>=';
  const reached = (reading: number): boolean => (inclusive ? reading >= position : reading > position);
  switch (field) {
    case 'offset':
      refuseBeyond(position, partition.lastOffset, 'offset');
      return partition.findFirst((event: StoredEvent) => reached(event.offset));
    case 'sequence-number':
      refuseBeyond(position, partition.lastSequenceNumber, 'sequence number');
      return partition.findFirst((event: StoredEvent) => reached(event.sequenceNumber));
    default:
      return partition.findFirst((event: StoredEvent) => reached(event.enqueuedTimeMs));
  }
}

function refuseBeyond(position: number, last: number, kind: string): void {
  if (position > last) {
    throw new RefusedError(
      AMQP_CONDITION.argumentError,
      `The supplied ${kind} '${position}' is invalid. The last ${kind} in the system is '${last}'`,
    );
  }
}
