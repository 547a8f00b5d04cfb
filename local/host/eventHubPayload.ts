import type { ReceivedEventData } from '@azure/event-hubs';
import type { TriggerInput } from './appSupervisor.ts';
import type { CheckpointScope } from './checkpoints.ts';
import type { EventHubFunction } from './registration.ts';
import type { LongHalves, TypedData } from './rpc.ts';

/** How the worker's protobuf decoder hands 64-bit integers to the library: depends on its version. */
export type SequenceNumberForm = 'number' | 'long';

const TWO_POW_32 = 2 ** 32;
const PARTITION_KEY = 'x-opt-partition-key';
/** These four have their own names in the system properties. */
const KNOWN_ANNOTATIONS = new Set([PARTITION_KEY, 'x-opt-sequence-number', 'x-opt-offset', 'x-opt-enqueued-time']);
/** Names that the extension gives to the properties section of an AMQP message. */
const MESSAGE_PROPERTIES = {
  messageId: 'message-id',
  userId: 'user-id',
  to: 'to',
  subject: 'subject',
  replyTo: 'reply-to',
  correlationId: 'correlation-id',
  contentType: 'content-type',
  contentEncoding: 'content-encoding',
  absoluteExpiryTime: 'absolute-expiry-time',
  creationTime: 'creation-time',
  groupId: 'group-id',
  groupSequence: 'group-sequence',
  replyToGroupId: 'reply-to-group-id',
} as const;

/** The bytes of a body exactly as they were sent; bodies that are no data section become their text or JSON. */
export function bodyBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) {
    return body;
  }
  if (body instanceof Uint8Array) {
    return Buffer.from(body);
  }
  if (body === null || body === undefined) {
    return Buffer.alloc(0);
  }
  if (typeof body === 'string') {
    return Buffer.from(body);
  }
  if (Array.isArray(body)) {
    return Buffer.concat(body.map(bodyBytes));
  }
  // The client leaves the section around its content: { typecode: 0x75, content }.
  return typeof body === 'object' && 'content' in body ? bodyBytes(body.content) : Buffer.from(JSON.stringify(body));
}

/** A value as the .NET host would write it to JSON: bytes in base64, times in ISO 8601. */
function toJsonValue(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString('base64');
  }
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? null : value.toISOString();
  }
  if (typeof value === 'bigint') {
    return value.toString();
  }
  if (Array.isArray(value)) {
    return value.map(toJsonValue);
  }
  return typeof value === 'object' && value !== null ? toJsonObject(value) : value;
}

function toJsonObject(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJsonValue(member)]));
}

function toLongHalves(value: number): LongHalves {
  return { low: value | 0, high: Math.floor(value / TWO_POW_32) | 0, unsigned: false };
}

/** One object per event, aligned with the bodies: what a function should read its positions from. */
function systemProperties(event: ReceivedEventData): Record<string, unknown> {
  const message = event.getRawAmqpMessage();
  const properties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message.messageAnnotations ?? {})) {
    if (!KNOWN_ANNOTATIONS.has(name)) {
      properties[name] = toJsonValue(value);
    }
  }
  const section = message.properties ?? {};
  for (const [member, name] of Object.entries(MESSAGE_PROPERTIES)) {
    const value: unknown = Reflect.get(section, member);
    if (value !== undefined && value !== null) {
      properties[name] = toJsonValue(value);
    }
  }
  return {
    ...properties,
    SequenceNumber: event.sequenceNumber,
    Offset: event.offset,
    PartitionKey: event.partitionKey ?? null,
    // A .NET DateTimeOffset, while EnqueuedTimeUtcArray holds DateTimes that end in Z.
    EnqueuedTimeUtc: event.enqueuedTimeUtc.toISOString().replace('Z', '+00:00'),
  };
}

/** The host drops empty strings, so that these arrays are not aligned with the bodies. */
function nonEmptyStrings(values: readonly (string | null | undefined)[]): TypedData {
  return { collectionString: { string: values.filter((value): value is string => Boolean(value)) } };
}

/** A batch and its trigger metadata, as the host sends them for `cardinality: many` and `dataType: binary`. */
export function eventHubInput(
  bindingName: string,
  events: readonly ReceivedEventData[],
  scope: CheckpointScope,
  partitionId: string,
  form: SequenceNumberForm,
): TriggerInput {
  const json = (value: unknown): TypedData => ({ json: JSON.stringify(value) });
  return {
    bindingName,
    data: { collectionBytes: { bytes: events.map((event) => bodyBytes(event.getRawAmqpMessage().body)) } },
    metadata: {
      PartitionKeyArray: nonEmptyStrings(events.map(({ partitionKey }) => partitionKey)),
      OffsetArray: nonEmptyStrings(events.map(({ offset }) => String(offset))),
      SequenceNumberArray: {
        collectionSint64: {
          sint64: events.map(({ sequenceNumber }) => (form === 'long' ? toLongHalves(sequenceNumber) : sequenceNumber)),
        },
      },
      EnqueuedTimeUtcArray: json(events.map(({ enqueuedTimeUtc }) => enqueuedTimeUtc)),
      PropertiesArray: json(events.map((event) => toJsonObject(event.getRawAmqpMessage().applicationProperties ?? {}))),
      SystemPropertiesArray: json(events.map(systemProperties)),
      PartitionContext: json({
        FullyQualifiedNamespace: scope.fullyQualifiedNamespace,
        EventHubName: scope.eventHubName,
        ConsumerGroup: scope.consumerGroup,
        PartitionId: partitionId,
      }),
    },
  };
}

/** A manual run: one event that came from no partition, and therefore has no metadata. */
export function manualEventHubInput({ bindingName }: EventHubFunction, input: string): TriggerInput {
  return { bindingName, data: { collectionBytes: { bytes: [Buffer.from(input)] } } };
}
