import type { Socket } from 'node:net';
import type { Delivery, Sender } from 'rhea';
import type { AmqpErrorFields } from './errors.ts';
import type { LinkHandler } from './linkHandler.ts';
import type { Partition } from './partition.ts';
import type { PartitionReader } from './partitionReaders.ts';
import { withPartitionState } from './rawMessage.ts';
import { senderInternals, sessionInternals } from './rheaInternals.ts';

/** What a receiver asked for when it attached. */
export interface ReceiverOptions {
  readonly name: string;
  readonly ownerLevel: number | undefined;
  readonly startSequenceNumber: number;
  /** Whether each event carries the state of the partition. */
  readonly tracksPartition: boolean;
}

/**
 * A link on which a client receives the events of a partition.
 *
 * Events are handed to rhea in bursts. A burst ends at the first of three bounds, and each has its own signal for the next one:
 * - the log has no more events: the next append;
 * - the client's credit is used up: its next flow (`sender_flow`);
 * - rhea's buffer is full: rhea says `sendable` when it has written.
 * rhea lowers the credit only when it writes a message, and it may hold some back while the client's session window is closed. So the
 * deliveries it has not written yet are counted against the credit, or the client would get several times what it asked for.
 *
 * Messages are sent settled: the position of a consumer is its own affair.
 */
export class ReceiverLink implements LinkHandler, PartitionReader {
  readonly name: string;
  readonly ownerLevel: number | undefined;
  readonly #sender: Sender;
  readonly #socket: Socket;
  readonly #partition: Partition;
  readonly #tracksPartition: boolean;
  readonly #stopListening: () => void;
  readonly #onClosed: (reader: ReceiverLink) => void;
  #next: number;
  #unwritten: Delivery[] = [];
  #scheduled = false;
  #closed = false;

  constructor(
    sender: Sender,
    socket: Socket,
    partition: Partition,
    options: ReceiverOptions,
    onClosed: (reader: ReceiverLink) => void,
  ) {
    this.name = options.name;
    this.ownerLevel = options.ownerLevel;
    this.#sender = sender;
    this.#socket = socket;
    this.#partition = partition;
    this.#tracksPartition = options.tracksPartition;
    this.#next = options.startSequenceNumber;
    this.#onClosed = onClosed;
    this.#stopListening = partition.onAppend(() => this.flow());
  }

  flow(): void {
    if (!this.#scheduled && !this.#closed) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#sendBurst();
      });
    }
  }

  drain(): void {
    this.#sendBurst();
    if (senderInternals(this.#sender).credit > 0) {
      this.#sender.set_drained(true);
    }
  }

  steal(error: AmqpErrorFields): void {
    this.#sender.close(error);
    this.closed();
  }

  closed(): void {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    this.#stopListening();
    this.#unwritten = [];
    // rhea would write what it still holds after the detach, and the client takes that for a broken connection.
    senderInternals(this.#sender).credit = 0;
    this.#onClosed(this);
  }

  #sendBurst(): void {
    if (this.#closed) {
      return;
    }
    this.#unwritten = this.#unwritten.filter((delivery) => !delivery.remote_settled);
    const credit = senderInternals(this.#sender).credit - this.#unwritten.length;
    const room = sessionInternals(this.#sender.session).outgoing.available();
    // Events that retention has dropped meanwhile are lost to a slow receiver, as in the service.
    this.#next = Math.max(this.#next, this.#partition.firstSequenceNumber);
    const end = Math.min(this.#partition.nextSequenceNumber, this.#next + Math.min(credit, room));
    if (!(end > this.#next)) {
      return;
    }
    for (; this.#next < end; this.#next += 1) {
      this.#send(this.#next);
    }
    // rhea writes each message on its own, in the next tick: collect them into few system calls.
    this.#socket.cork();
    process.nextTick(() => this.#socket.uncork());
  }

  #send(sequenceNumber: number): void {
    const event = this.#partition.read(sequenceNumber);
    if (event === undefined) {
      return;
    }
    const bytes = this.#tracksPartition ? withPartitionState(event, this.#partition.state, Date.now()) : event.bytes;
    this.#unwritten.push(this.#sender.send(bytes, undefined, 0));
  }
}
