import { entityNotFound, HubConfigError, partitionNotFound } from './errors.ts';
import { Partition, type Retention } from './partition.ts';
import { partitionOfKey } from './partitionKeyHash.ts';
import { PartitionReaders } from './partitionReaders.ts';
import type { IncomingEvent } from './rawMessage.ts';

/** A hub to be created. `consumerGroups` come besides `$Default`. */
export interface HubConfig {
  readonly name: string;
  readonly partitions?: number;
  readonly consumerGroups?: readonly string[];
}

const DEFAULT_PARTITIONS = 4;
/** The most that any tier of the service offers. */
const MAX_PARTITIONS = 1024;
const DEFAULT_CONSUMER_GROUP = '$Default';
/** The service's rule for names: letters, digits, periods, hyphens and underscores, beginning and ending with a letter or digit. */
const NAME_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,254}[A-Za-z0-9])?$/;

/** One event hub: its partitions, and who reads each of them in each consumer group. Names compare without regard to case. */
export class Hub {
  readonly name: string;
  readonly createdOn = new Date();
  readonly partitions: readonly Partition[];
  readonly #readers = new Map<string, PartitionReaders[]>();
  #roundRobin = 0;

  /** @throws HubConfigError when a name or the number of partitions is not allowed. */
  constructor(config: HubConfig, retention: Retention) {
    const count = config.partitions ?? DEFAULT_PARTITIONS;
    if (!Number.isInteger(count) || count < 1 || count > MAX_PARTITIONS) {
      throw new HubConfigError(`hub '${config.name}' has ${count} partitions: 1 to ${MAX_PARTITIONS} are possible`);
    }
    const groups = config.consumerGroups ?? [];
    const badName = [config.name, ...groups].find(
      (name) => name !== DEFAULT_CONSUMER_GROUP && !NAME_PATTERN.test(name),
    );
    if (badName !== undefined || config.name === DEFAULT_CONSUMER_GROUP) {
      throw new HubConfigError(`'${badName ?? config.name}' is no name for a hub or consumer group`);
    }
    this.name = config.name;
    this.partitions = Array.from({ length: count }, (_, index) => new Partition(String(index), retention));
    for (const group of [DEFAULT_CONSUMER_GROUP, ...groups]) {
      this.#readers.set(
        group.toLowerCase(),
        this.partitions.map(() => new PartitionReaders()),
      );
    }
  }

  /** @throws RefusedError when there is no such partition. */
  partition(partitionId: string): Partition {
    const partition = this.partitions.find(({ id }) => id === partitionId);
    if (partition === undefined) {
      throw partitionNotFound(partitionId, this.partitions.length);
    }
    return partition;
  }

  /** @throws RefusedError when there is no such consumer group or partition. */
  readers(consumerGroup: string, partitionId: string): PartitionReaders {
    const group = this.#readers.get(consumerGroup.toLowerCase());
    if (group === undefined) {
      throw entityNotFound(`${this.name}|${consumerGroup}`);
    }
    const readers = group[this.partitions.indexOf(this.partition(partitionId))];
    if (readers === undefined) {
      throw partitionNotFound(partitionId, this.partitions.length);
    }
    return readers;
  }

  /** The partition for events that were sent together to no partition in particular: by their key, or else one after another. */
  route(events: readonly IncomingEvent[]): Partition {
    const key = events.find(({ partitionKey }) => partitionKey !== undefined)?.partitionKey;
    if (key !== undefined) {
      return this.partition(String(partitionOfKey(key, this.partitions.length)));
    }
    this.#roundRobin = (this.#roundRobin + 1) % this.partitions.length;
    return this.partition(String(this.#roundRobin));
  }
}

/** The hubs of one broker. */
export class Hubs {
  readonly #retention: Retention;
  readonly #hubs = new Map<string, Hub>();

  constructor(retention: Retention) {
    this.#retention = retention;
  }

  /** @throws HubConfigError when the name is taken or the hub cannot exist. */
  add(config: HubConfig): void {
    const key = config.name.toLowerCase();
    if (this.#hubs.has(key)) {
      throw new HubConfigError(`there is a hub '${config.name}' already`);
    }
    this.#hubs.set(key, new Hub(config, this.#retention));
  }

  /** @throws RefusedError when there is no such hub. */
  get(name: string): Hub {
    const hub = this.#hubs.get(name.toLowerCase());
    if (hub === undefined) {
      throw entityNotFound(name);
    }
    return hub;
  }
}
