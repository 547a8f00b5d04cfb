import type { ContainerClient } from '@azure/storage-blob';
import { hostContainer, isNotFound } from './storage.ts';

const CONTAINER = 'azure-webjobs-eventhub';

/** What a checkpoint belongs to. */
export interface CheckpointScope {
  readonly fullyQualifiedNamespace: string;
  readonly eventHubName: string;
  readonly consumerGroup: string;
}

/** The last event of a partition that needs no further processing. */
export interface Checkpoint {
  readonly sequenceNumber: number;
  readonly offset: string;
}

/**
 * Checkpoints as the real extension keeps them: one empty blob per partition,
 * `<namespace>/<hub>/<consumer group>/checkpoint/<partition>` in lower case, with the position in its metadata.
 */
export class CheckpointStore {
  readonly #container: ContainerClient;

  constructor(storage: string) {
    this.#container = hostContainer(storage, CONTAINER);
  }

  async prepare(): Promise<void> {
    await this.#container.createIfNotExists();
  }

  /** Undefined when the partition has none. */
  async read(scope: CheckpointScope, partitionId: string): Promise<Checkpoint | undefined> {
    try {
      const { metadata } = await this.#blob(scope, partitionId).getProperties();
      const sequenceNumber = Number(metadata?.sequencenumber);
      return Number.isSafeInteger(sequenceNumber) ? { sequenceNumber, offset: metadata?.offset ?? '' } : undefined;
    } catch (error) {
      if (isNotFound(error)) {
        return undefined;
      }
      throw error;
    }
  }

  async write(scope: CheckpointScope, partitionId: string, checkpoint: Checkpoint): Promise<void> {
    const metadata = { sequencenumber: String(checkpoint.sequenceNumber), offset: checkpoint.offset };
    const blob = this.#blob(scope, partitionId);
    try {
      await blob.setMetadata(metadata);
    } catch (error) {
      if (!isNotFound(error)) {
        throw error;
      }
      await blob.upload('', 0, { metadata });
    }
  }

  #blob({ fullyQualifiedNamespace, eventHubName, consumerGroup }: CheckpointScope, partitionId: string) {
    const path = `${fullyQualifiedNamespace}/${eventHubName}/${consumerGroup}/checkpoint/${partitionId}`;
    return this.#container.getBlockBlobClient(path.toLowerCase());
  }
}
