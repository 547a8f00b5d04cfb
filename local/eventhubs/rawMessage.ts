import { AmqpDecodeError, binaryAt, mapEntries, textAt } from './amqpScan.ts';
import { messageSections, SECTION } from './messageSections.ts';

/**
 * Events stay the bytes that were sent, from the properties to the footer; only the message annotations are rewritten, because there
 * the broker adds the position of the event. A stored event is therefore
 *
 *     header as sent | message annotations: those sent, without the broker's own, then the broker's | the rest as sent
 *
 * Delivery annotations concern one hop only and are dropped. `annotationsStart` remembers where the annotations begin: a receiver
 * that asked for the state of the partition gets delivery annotations of its own inserted there.
 */

const ANNOTATION = {
  partitionKey: 'x-opt-partition-key',
  sequenceNumber: 'x-opt-sequence-number',
  offset: 'x-opt-offset',
  enqueuedTime: 'x-opt-enqueued-time',
} as const;

const BROKER_OWNED: ReadonlySet<string> = new Set([
  ANNOTATION.sequenceNumber,
  ANNOTATION.offset,
  ANNOTATION.enqueuedTime,
]);

/** An event as it was sent, ready to be given a position. All buffers share the memory of the received message. */
export interface IncomingEvent {
  readonly header: Buffer;
  readonly annotations: readonly Buffer[];
  readonly rest: Buffer;
  readonly partitionKey: string | undefined;
}

/** The position that the broker gives to an event; the time is in milliseconds since 1970. */
export interface EventPosition {
  readonly sequenceNumber: number;
  readonly offset: number;
  readonly enqueuedTimeMs: number;
}

/** The newest event of a partition as told to receivers that track it. */
export interface PartitionState {
  readonly lastSequenceNumber: number;
  readonly lastOffset: string;
  readonly lastEnqueuedTimeMs: number;
}

/** A message ready to be sent, in memory of its own. */
export interface EncodedEvent {
  readonly bytes: Buffer;
  readonly annotationsStart: number;
}

const NOTHING = Buffer.alloc(0);

function symbol(text: string): Buffer {
  const ascii = Buffer.from(text, 'ascii');
  return Buffer.concat([Buffer.from([0xa3, ascii.length]), ascii]);
}

function string(text: string): Buffer {
  const utf8 = Buffer.from(text, 'utf8');
  const prefix = Buffer.alloc(5, 0xb1);
  prefix.writeUInt32BE(utf8.length, 1);
  return Buffer.concat([prefix, utf8]);
}

const LONG = 0x81;
const TIMESTAMP = 0x83;

function eightBytes(typeCode: number, value: number): Buffer {
  const encoded = Buffer.allocUnsafe(9);
  encoded[0] = typeCode;
  encoded.writeInt32BE(Math.floor(value / 2 ** 32), 1);
  encoded.writeUInt32BE(value >>> 0, 5);
  return encoded;
}

const MAP_PREFIX_BYTES = 12;

/** A section whose value is a map of the entries given, each the bytes of one key and one value. */
function mapSection(code: number, entries: readonly Buffer[], entryCount: number): Buffer[] {
  const contentBytes = entries.reduce((total, entry) => total + entry.length, 0);
  const prefix = Buffer.allocUnsafe(MAP_PREFIX_BYTES);
  prefix.set([0x00, 0x53, code, 0xd1]);
  prefix.writeUInt32BE(contentBytes + 4, 4);
  prefix.writeUInt32BE(entryCount * 2, 8);
  return [prefix, ...entries];
}

const KEY = {
  sequenceNumber: symbol(ANNOTATION.sequenceNumber),
  offset: symbol(ANNOTATION.offset),
  enqueuedTime: symbol(ANNOTATION.enqueuedTime),
  partitionKey: symbol(ANNOTATION.partitionKey),
  lastSequenceNumber: symbol('last_enqueued_sequence_number'),
  lastOffset: symbol('last_enqueued_offset'),
  lastEnqueuedTime: symbol('last_enqueued_time_utc'),
  retrievalTime: symbol('runtime_info_retrieval_time_utc'),
};

/**
 * Takes one encoded message apart.
 * @throws AmqpDecodeError when the bytes are not a message.
 */
export function parseEvent(message: Buffer): IncomingEvent {
  let header: Buffer = NOTHING;
  let restStart = 0;
  let partitionKey: string | undefined;
  const annotations: Buffer[] = [];
  for (const section of messageSections(message)) {
    if (section.code > SECTION.messageAnnotations) {
      break;
    }
    restStart = section.end;
    if (section.code === SECTION.header) {
      header = message.subarray(section.start, section.end);
    } else if (section.code === SECTION.messageAnnotations) {
      for (const entry of mapEntries(message, section.valueStart)) {
        const key = textAt(message, entry.keyStart);
        if (key === ANNOTATION.partitionKey) {
          partitionKey = textAt(message, entry.valueStart);
        }
        if (key === undefined || !BROKER_OWNED.has(key)) {
          annotations.push(message.subarray(entry.keyStart, entry.end));
        }
      }
    }
  }
  return { header, annotations, rest: message.subarray(restStart), partitionKey };
}

/**
 * Takes a batch apart (message format 0x80013700): an envelope whose data sections are one encoded message each. A partition key
 * on the envelope counts for the events that have none.
 * @throws AmqpDecodeError when the envelope or one of its messages is damaged.
 */
export function parseBatch(envelope: Buffer): IncomingEvent[] {
  let partitionKey: string | undefined;
  const events: IncomingEvent[] = [];
  for (const section of messageSections(envelope)) {
    if (section.code === SECTION.messageAnnotations) {
      const entry = mapEntries(envelope, section.valueStart).find(
        ({ keyStart }) => textAt(envelope, keyStart) === ANNOTATION.partitionKey,
      );
      partitionKey = entry === undefined ? undefined : textAt(envelope, entry.valueStart);
    } else if (section.code === SECTION.data) {
      events.push(withKey(parseEvent(batchedMessage(envelope, section.valueStart)), partitionKey));
    } else if (section.code === SECTION.sequence || section.code === SECTION.value) {
      throw new AmqpDecodeError('the body of a batch must be data sections');
    }
  }
  return events;
}

function batchedMessage(envelope: Buffer, valueStart: number): Buffer {
  const message = binaryAt(envelope, valueStart);
  if (message === undefined) {
    throw new AmqpDecodeError('a data section must hold binary');
  }
  return message;
}

function withKey(event: IncomingEvent, partitionKey: string | undefined): IncomingEvent {
  if (partitionKey === undefined || event.partitionKey !== undefined) {
    return event;
  }
  const entry = Buffer.concat([KEY.partitionKey, string(partitionKey)]);
  return { ...event, annotations: [...event.annotations, entry], partitionKey };
}

/** Encodes an event with its position, copied so that the received message can be freed. */
export function encodeEvent(event: IncomingEvent, position: EventPosition): EncodedEvent {
  const own = [
    KEY.sequenceNumber,
    eightBytes(LONG, position.sequenceNumber),
    KEY.offset,
    string(String(position.offset)),
    KEY.enqueuedTime,
    eightBytes(TIMESTAMP, position.enqueuedTimeMs),
  ];
  const annotations = mapSection(
    SECTION.messageAnnotations,
    [...event.annotations, ...own],
    event.annotations.length + own.length / 2,
  );
  return { bytes: Buffer.concat([event.header, ...annotations, event.rest]), annotationsStart: event.header.length };
}

/** The bytes of an event with the state of its partition as delivery annotations, for receivers that track the newest event. */
export function withPartitionState(event: EncodedEvent, state: PartitionState, nowMs: number): Buffer {
  const entries = [
    KEY.lastSequenceNumber,
    eightBytes(LONG, state.lastSequenceNumber),
    KEY.lastOffset,
    string(state.lastOffset),
    KEY.lastEnqueuedTime,
    eightBytes(TIMESTAMP, state.lastEnqueuedTimeMs),
    KEY.retrievalTime,
    eightBytes(TIMESTAMP, nowMs),
  ];
  return Buffer.concat([
    event.bytes.subarray(0, event.annotationsStart),
    ...mapSection(SECTION.deliveryAnnotations, entries, entries.length / 2),
    event.bytes.subarray(event.annotationsStart),
  ]);
}
