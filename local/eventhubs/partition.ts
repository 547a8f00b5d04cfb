import { type EncodedEvent, encodeEvent, type IncomingEvent, type PartitionState } from './rawMessage.ts';

/** How much a partition keeps before it drops its oldest events. */
export interface Retention {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** An event in the log; the time is in milliseconds since 1970. */
export interface StoredEvent extends EncodedEvent {
  readonly sequenceNumber: number;
  readonly offset: number;
  readonly enqueuedTimeMs: number;
}

/** Offset and sequence number of "the newest event" while there never was one, as the service says it. */
const NONE = -1;
/** Dropped events stay at the front of the array until they are this many: removing them one by one would copy the rest each time. */
const COMPACTION_EVENTS = 4096;

/**
 * The log of one partition. Sequence numbers count the events from 0; an offset is the number of bytes stored before the event;
 * enqueued times never go back, whatever the clock does.
 */
export class Partition {
  readonly id: string;
  readonly #retention: Retention;
  readonly #listeners = new Set<() => void>();
  #events: StoredEvent[] = [];
  /** Events at the front of `#events` that are no longer part of the log. */
  #dropped = 0;
  #keptBytes = 0;
  #nextSequenceNumber = 0;
  #nextOffset = 0;
  #lastOffset = NONE;
  #lastEnqueuedTimeMs = 0;

  constructor(id: string, retention: Retention) {
    this.id = id;
    this.#retention = retention;
  }

  get isEmpty(): boolean {
    return this.#dropped === this.#events.length;
  }

  /** Sequence number of the oldest event that is kept, or of the next one when none is. */
  get firstSequenceNumber(): number {
    return this.#nextSequenceNumber - (this.#events.length - this.#dropped);
  }

  /** Sequence number of the next event. */
  get nextSequenceNumber(): number {
    return this.#nextSequenceNumber;
  }

  /** Offset of the newest event, -1 when there never was one. */
  get lastOffset(): number {
    return this.#lastOffset;
  }

  /** Sequence number of the newest event, -1 when there never was one. */
  get lastSequenceNumber(): number {
    return this.#nextSequenceNumber - 1;
  }

  /** The newest event in the words of the service. */
  get state(): PartitionState {
    return {
      lastSequenceNumber: this.lastSequenceNumber,
      lastOffset: String(this.#lastOffset),
      lastEnqueuedTimeMs: this.#lastEnqueuedTimeMs,
    };
  }

  /** Appends events that arrived together, in their order and with one enqueued time, and wakes the listeners. */
  append(events: readonly IncomingEvent[], nowMs: number): void {
    const enqueuedTimeMs = Math.max(nowMs, this.#lastEnqueuedTimeMs);
    for (const event of events) {
      const position = { sequenceNumber: this.#nextSequenceNumber, offset: this.#nextOffset, enqueuedTimeMs };
      const encoded = encodeEvent(event, position);
      this.#events.push({ ...encoded, ...position });
      this.#nextSequenceNumber += 1;
      this.#lastOffset = this.#nextOffset;
      this.#nextOffset += encoded.bytes.length;
      this.#keptBytes += encoded.bytes.length;
      this.#lastEnqueuedTimeMs = enqueuedTimeMs;
    }
    this.#dropOldest();
    for (const listener of this.#listeners) {
      listener();
    }
  }

  /** The event with this sequence number, or undefined when it is not there yet or no longer. */
  read(sequenceNumber: number): StoredEvent | undefined {
    if (sequenceNumber < this.firstSequenceNumber) {
      return undefined;
    }
    return this.#events[this.#dropped + sequenceNumber - this.firstSequenceNumber];
  }

  /** Sequence number of the first kept event for which `isAtOrAfter` holds; it must hold for all events after that one too. */
  findFirst(isAtOrAfter: (event: StoredEvent) => boolean): number {
    let low = this.firstSequenceNumber;
    let high = this.#nextSequenceNumber;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const event = this.read(middle);
      if (event !== undefined && isAtOrAfter(event)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Calls `listener` after each append, until the returned function is called. */
  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #dropOldest(): void {
    while (
      this.#events.length - this.#dropped > this.#retention.maxEvents ||
      this.#keptBytes > this.#retention.maxBytes
    ) {
      this.#keptBytes -= this.#events[this.#dropped]?.bytes.length ?? 0;
      this.#dropped += 1;
    }
    if (this.#dropped >= COMPACTION_EVENTS && this.#dropped * 2 >= this.#events.length) {
      this.#events = this.#events.slice(this.#dropped);
      this.#dropped = 0;
    }
  }
}
