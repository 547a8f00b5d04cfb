/** What a hub and the checkpoints of one consumer group say of one partition. */
export interface PartitionFacts {
  readonly partition: string;
  readonly isEmpty: boolean;
  readonly firstSequenceNumber: number;
  readonly lastSequenceNumber: number;
  /** ISO 8601. */
  readonly lastEnqueuedAt: string | null;
  /** Undefined when nothing was ever taken from it. */
  readonly checkpoint: Checkpoint | undefined;
}

export interface Checkpoint {
  readonly sequenceNumber: number;
  /** When it was written, ISO 8601. */
  readonly at: string;
}

/** How one partition stands. */
export interface PartitionLag {
  readonly partition: string;
  readonly waitingEvents: number;
  readonly lastEnqueuedAt: string | null;
  readonly checkpointAt: string | null;
  /** Whether events wait and none has been taken for longer than any retry pauses. */
  readonly stalled: boolean;
}

/** Retries of a batch come at most a minute apart, and a batch may take minutes. */
export const STALL_MS = 5 * 60_000;

/**
 * Tells stalled partitions from busy ones. A checkpoint may be old because nothing came; so it counts against a partition
 * only while events wait, and only if one of two things shows that they have waited: even the newest of them is that old,
 * or this process has seen the very same checkpoint with events behind it for that long.
 */
export class StallWatch {
  /** Partition -> the checkpoint that events wait behind, and since when it was seen. */
  readonly #waiting = new Map<string, { readonly sequenceNumber: number; readonly since: number }>();

  look(facts: readonly PartitionFacts[], now = Date.now()): PartitionLag[] {
    return facts.map((each) => {
      const waitingEvents = waitingIn(each);
      return {
        partition: each.partition,
        waitingEvents,
        lastEnqueuedAt: each.lastEnqueuedAt,
        checkpointAt: each.checkpoint?.at ?? null,
        stalled: this.#isStalled(each, waitingEvents, now),
      };
    });
  }

  #isStalled({ partition, checkpoint, lastEnqueuedAt }: PartitionFacts, waitingEvents: number, now: number): boolean {
    if (waitingEvents === 0) {
      this.#waiting.delete(partition);
      return false;
    }
    const sequenceNumber = checkpoint?.sequenceNumber ?? -1;
    const seen = this.#waiting.get(partition);
    const since = seen?.sequenceNumber === sequenceNumber ? seen.since : now;
    this.#waiting.set(partition, { sequenceNumber, since });
    const isOld = (at: string | null | undefined) => at === null || at === undefined || now - Date.parse(at) > STALL_MS;
    return isOld(checkpoint?.at) && (isOld(lastEnqueuedAt) || now - since > STALL_MS);
  }
}

function waitingIn({ isEmpty, firstSequenceNumber, lastSequenceNumber, checkpoint }: PartitionFacts): number {
  if (isEmpty) return 0;
  const taken = Math.max(checkpoint?.sequenceNumber ?? -1, firstSequenceNumber - 1);
  return Math.max(0, lastSequenceNumber - taken);
}
