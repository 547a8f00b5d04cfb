import rhea, { type Message } from 'rhea';
import { AMQP_CONDITION, type AmqpCondition, RefusedError } from './errors.ts';
import type { Hub, Hubs } from './hub.ts';
import type { Partition } from './partition.ts';

/** Type code of the AMQP string with a one-byte length. */
const SHORT_STRING = 0xa1;

const HUB_TYPE = 'com.microsoft:eventhub';
const PARTITION_TYPE = 'com.microsoft:partition';

const STATUS_CODES: Partial<Record<AmqpCondition, number>> = {
  [AMQP_CONDITION.notFound]: 404,
  [AMQP_CONDITION.notImplemented]: 501,
};
const BAD_REQUEST = 400;

function describeHub(hub: Hub): object {
  return {
    name: hub.name,
    type: HUB_TYPE,
    created_at: rhea.types.wrap_timestamp(hub.createdOn.getTime()),
    partition_count: rhea.types.wrap_int(hub.partitions.length),
    partition_ids: rhea.types.wrap_array(
      hub.partitions.map(({ id }) => id),
      SHORT_STRING,
      undefined,
    ),
  };
}

function describePartition(hub: Hub, partition: Partition): object {
  const { lastSequenceNumber, lastOffset, lastEnqueuedTimeMs } = partition.state;
  return {
    name: hub.name,
    type: PARTITION_TYPE,
    partition: partition.id,
    begin_sequence_number: rhea.types.wrap_long(partition.firstSequenceNumber),
    last_enqueued_sequence_number: rhea.types.wrap_long(lastSequenceNumber),
    last_enqueued_offset: lastOffset,
    last_enqueued_time_utc: rhea.types.wrap_timestamp(lastEnqueuedTimeMs),
    is_partition_empty: partition.isEmpty,
  };
}

function read(hubs: Hubs, properties: Readonly<Record<string, unknown>>): object {
  const { operation, type, name, partition } = properties;
  if (operation === 'READ' && type === HUB_TYPE) {
    return describeHub(hubs.get(String(name)));
  }
  if (operation === 'READ' && type === PARTITION_TYPE) {
    const hub = hubs.get(String(name));
    return describePartition(hub, hub.partition(String(partition)));
  }
  throw new RefusedError(
    AMQP_CONDITION.notImplemented,
    `The management operation '${String(operation)}' of '${String(type)}' is not supported.`,
  );
}

/** Answers a request to the management node: the properties of a hub or of a partition. */
export function answerManagement(hubs: Hubs, request: Message): Message {
  try {
    return {
      body: read(hubs, request.application_properties ?? {}),
      application_properties: { 'status-code': 200, 'status-description': 'OK' },
    };
  } catch (error) {
    if (!(error instanceof RefusedError)) {
      throw error;
    }
    return {
      body: {},
      application_properties: {
        'status-code': STATUS_CODES[error.condition] ?? BAD_REQUEST,
        'status-description': error.message,
        'error-condition': rhea.types.wrap_symbol(error.condition),
      },
    };
  }
}
