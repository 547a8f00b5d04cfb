import type { Delivery, Receiver } from 'rhea';
import { AmqpDecodeError } from './amqpScan.ts';
import { AMQP_CONDITION, RefusedError } from './errors.ts';
import type { Hub } from './hub.ts';
import type { LinkHandler } from './linkHandler.ts';
import type { Partition } from './partition.ts';
import { type IncomingEvent, parseBatch, parseEvent } from './rawMessage.ts';
import { deliveryFacts, MAX_MESSAGE_BYTES, SINGLE_MESSAGE_FORMAT } from './transferGuard.ts';

/** Message format of a batch: an envelope of encoded messages. The client sends nothing else. */
const BATCH_FORMAT = 0x8001_3700;

/** Messages that a client may have on the way. Without credit it pauses for a second, so this is generous. */
const SENDER_CREDIT = 1000;

/** A link on which a client sends events, to one partition or to the hub. */
export class SenderLink implements LinkHandler {
  readonly #receiver: Receiver;
  readonly #hub: Hub;
  readonly #partition: Partition | undefined;

  /** Without a partition the events are routed by their key or in turn. */
  constructor(receiver: Receiver, hub: Hub, partition: Partition | undefined) {
    this.#receiver = receiver;
    this.#hub = hub;
    this.#partition = partition;
    receiver.set_credit_window(SENDER_CREDIT);
    receiver.add_credit(SENDER_CREDIT);
  }

  /** Stores all events of a message or none, and only then accepts it. */
  message(delivery: Delivery, payload: Buffer): void {
    const { bytes, aborted } = deliveryFacts(this.#receiver);
    if (aborted) {
      delivery.update(true);
      return;
    }
    try {
      const events = readEvents(delivery, payload, bytes);
      (this.#partition ?? this.#hub.route(events)).append(events, Date.now());
      delivery.accept();
    } catch (error) {
      delivery.reject(asRefusal(error).fields);
    }
  }

  closed(): void {}
}

function readEvents(delivery: Delivery, payload: Buffer, bytes: number): IncomingEvent[] {
  if (bytes > MAX_MESSAGE_BYTES) {
    throw new RefusedError(
      AMQP_CONDITION.messageSizeExceeded,
      `The received message (delivery-id:${delivery.id}, size:${bytes} bytes) exceeds the limit ` +
        `(${MAX_MESSAGE_BYTES} bytes) currently allowed on the link.`,
    );
  }
  switch (delivery.format) {
    case BATCH_FORMAT:
      return parseBatch(payload);
    case SINGLE_MESSAGE_FORMAT:
      return [parseEvent(payload)];
    default:
      throw new RefusedError(
        AMQP_CONDITION.notImplemented,
        `Message format 0x${delivery.format.toString(16)} is not supported.`,
      );
  }
}

function asRefusal(error: unknown): RefusedError {
  if (error instanceof RefusedError) {
    return error;
  }
  if (error instanceof AmqpDecodeError) {
    return new RefusedError(AMQP_CONDITION.decodeError, `The message cannot be decoded: ${error.message}.`, {
      cause: error,
    });
  }
  throw error;
}
