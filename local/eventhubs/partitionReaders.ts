import { AMQP_CONDITION, type AmqpErrorFields, RefusedError } from './errors.ts';

/** A receiver of one partition in one consumer group. `ownerLevel` is what the protocol calls the epoch. */
export interface PartitionReader {
  readonly name: string;
  readonly ownerLevel: number | undefined;
  /** Ends the receiver because another one took the partition. */
  steal(error: AmqpErrorFields): void;
}

/** The service allows this many receivers without an owner level. */
const MAX_SHARED_READERS = 5;

/**
 * Who may read a partition in a consumer group. Either up to five receivers without owner level share it, or exactly one receiver
 * with an owner level has it alone. A newcomer of the same or a higher owner level takes it from whoever has it, and receivers
 * without one always lose it; a newcomer of a lower owner level, or of none while there is an owner, is refused.
 */
export class PartitionReaders {
  readonly #readers = new Set<PartitionReader>();

  /** @throws RefusedError when the newcomer may not read the partition. */
  admit(newcomer: PartitionReader): void {
    const owner = [...this.#readers].find(({ ownerLevel }) => ownerLevel !== undefined);
    if (newcomer.ownerLevel === undefined) {
      this.#admitShared(newcomer, owner);
      return;
    }
    if (owner?.ownerLevel !== undefined && owner.ownerLevel > newcomer.ownerLevel) {
      throw new RefusedError(
        AMQP_CONDITION.stolen,
        `Receiver '${owner.name}' with a higher epoch '${owner.ownerLevel}' already exists. ` +
          `Receiver '${newcomer.name}' with epoch ${newcomer.ownerLevel} cannot be created.`,
      );
    }
    for (const reader of this.#readers) {
      reader.steal({
        condition: AMQP_CONDITION.stolen,
        description:
          `New receiver '${newcomer.name}' with epoch '${newcomer.ownerLevel}' is created hence current receiver ` +
          `'${reader.name}' with epoch '${reader.ownerLevel ?? 'none'}' is getting disconnected.`,
      });
    }
    this.#readers.clear();
    this.#readers.add(newcomer);
  }

  /** Forgets a reader that has ended; harmless for one that was already replaced. */
  release(reader: PartitionReader): void {
    this.#readers.delete(reader);
  }

  #admitShared(newcomer: PartitionReader, owner: PartitionReader | undefined): void {
    if (owner !== undefined) {
      throw new RefusedError(
        AMQP_CONDITION.stolen,
        `Receiver '${owner.name}' with epoch '${owner.ownerLevel ?? 0}' exists. ` +
          `Receiver '${newcomer.name}' without epoch cannot be created.`,
      );
    }
    if (this.#readers.size >= MAX_SHARED_READERS) {
      throw new RefusedError(
        AMQP_CONDITION.resourceLimitExceeded,
        `The partition has ${MAX_SHARED_READERS} receivers without epoch, the most a consumer group allows.`,
      );
    }
    this.#readers.add(newcomer);
  }
}
