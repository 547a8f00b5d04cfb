import type { Receiver, Session } from 'rhea';
import { isReceiver, receiverInternals, sessionInternals, type TransferFrame } from './rheaInternals.ts';

/**
 * Stands between rhea's connection and its sessions, because rhea (1) decodes messages of format 0, after which their bytes cannot be
 * had back, (2) collects the frames of a delivery without a limit and (3) ignores that a delivery was aborted. Here format 0 is
 * renamed to a format that rhea does not know and so leaves alone, the frames of a delivery that is too large are dropped as they
 * come, and what happened is kept for whoever handles the message.
 *
 * Dispositions are not passed on at all: the broker settles whatever it sends and receives at once, so they can say nothing new, and rhea
 * would walk through the whole range of up to four billion deliveries that one names.
 */

/** The largest message of a link, as the service has it. */
export const MAX_MESSAGE_BYTES = 1_048_576;

/** Stands for format 0; not a format that is in use. */
export const SINGLE_MESSAGE_FORMAT = 0x7fff_ff00;

/** What came for a delivery. `payload` must not be used when it is too large or aborted. */
export interface DeliveryFacts {
  readonly bytes: number;
  readonly aborted: boolean;
}

const EMPTY = Buffer.alloc(0);
const deliveries = new WeakMap<Receiver, DeliveryFacts>();

/** Facts about the delivery that is being handled on this link. */
export function deliveryFacts(receiver: Receiver): DeliveryFacts {
  return deliveries.get(receiver) ?? { bytes: 0, aborted: false };
}

function observe(receiver: Receiver, frame: TransferFrame): void {
  const incomplete = receiverInternals(receiver)._incomplete;
  const before = incomplete === undefined ? { bytes: 0, aborted: false } : deliveryFacts(receiver);
  if (incomplete === undefined) {
    frame.performative.message_format ||= SINGLE_MESSAGE_FORMAT;
  }
  const bytes = before.bytes + (frame.payload?.length ?? 0);
  if (bytes > MAX_MESSAGE_BYTES) {
    frame.payload = EMPTY;
    incomplete?.frames.splice(0);
  }
  frame.payload ??= EMPTY;
  deliveries.set(receiver, { bytes, aborted: before.aborted || frame.performative.aborted === true });
}

/** Puts the guard before a session; call it once, when the session opens. */
export function guardTransfers(session: Session): void {
  const internals = sessionInternals(session);
  const deliver = internals.on_transfer.bind(internals);
  internals.on_transfer = (frame) => {
    const link = internals._get_link(frame);
    if (!isReceiver(link)) {
      throw new Error('a transfer came on a link that only sends');
    }
    observe(link, frame);
    deliver(frame);
  };
  internals.on_disposition = () => {};
}
