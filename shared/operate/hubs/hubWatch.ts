import { type PartitionFacts, type PartitionLag, StallWatch } from './partitionFacts.ts';

/** Thrown when events wait in a partition and none is taken. */
export class StalledHubError extends Error {
  override readonly name = 'StalledHubError';
}

/** So long the status, which may be asked every other second, lives on what was read. */
const FRESH_MS = 10_000;
/** The status does not wait longer for a hub: it says what it knows. */
const STATUS_PATIENCE_MS = 2_000;

/** Watches the partitions of one stream's hub. */
export class HubWatch {
  readonly #read: () => Promise<readonly PartitionFacts[]>;
  readonly #stalls = new StallWatch();
  #reading: Promise<readonly PartitionLag[]> | undefined;
  #latest: { readonly at: number; readonly partitions: readonly PartitionLag[] } | undefined;

  constructor(read: () => Promise<readonly PartitionFacts[]>) {
    this.#read = read;
  }

  /** Asks the hub. Throws StalledHubError, and what the hub's client throws. */
  async touch(): Promise<void> {
    const stalled = (await this.#look()).filter((partition) => partition.stalled);
    if (stalled.length === 0) return;
    const places = stalled.map(({ partition, waitingEvents, checkpointAt }) => {
      return `${partition} (${waitingEvents} events wait, checkpoint of ${checkpointAt ?? 'never'})`;
    });
    throw new StalledHubError(`nothing is taken from partition ${places.join(', ')}`);
  }

  /** How the partitions stood lately; null when the hub does not answer in time. Never throws. */
  async lately(): Promise<readonly PartitionLag[] | null> {
    if (this.#latest !== undefined && Date.now() - this.#latest.at < FRESH_MS) return this.#latest.partitions;
    const { promise: patience, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => resolve(null), STATUS_PATIENCE_MS);
    const answer = this.#look().catch(() => null);
    return Promise.race([answer, patience]).finally(() => clearTimeout(timer));
  }

  /** Whoever asks while the hub is being asked gets the same answer. */
  #look(): Promise<readonly PartitionLag[]> {
    this.#reading ??= this.#read()
      .then((facts) => {
        const partitions = this.#stalls.look(facts);
        this.#latest = { at: Date.now(), partitions };
        return partitions;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }
}
