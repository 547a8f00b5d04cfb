import type { Container } from '@azure/cosmos';
import type { Source } from '../change/change.ts';
import type { MinuteCells } from '../ingest/minuteRing.ts';
import { StoreUnavailableError } from './errors.ts';
import type { Operations } from './operations.ts';

/** A document of the container `cursors`: what one instance of the app has done for one stream since it started. */
export interface CounterDocument {
  readonly id: string;
  readonly kind: 'counters';
  readonly stream: string;
  readonly source: Source;
  readonly instance: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly counts: { readonly [name: string]: number };
  /** The last hour, minute by minute. */
  readonly minutes: MinuteCells;
  /** What the stream's point operations cost. */
  readonly requestUnits: number;
  /** How many of them the service refused for want of request units; they were tried again. */
  readonly throttled: number;
  /** Seconds between the newest batch's last event and its end; null where the source tells no time. */
  readonly lagSeconds: number | null;
}

/** The counters in the container `cursors`. */
export class CounterStore {
  readonly #container: Container;
  readonly #operations: Operations;

  constructor(container: Container, operations: Operations) {
    this.#container = container;
    this.#operations = operations;
  }

  /** Throws StoreUnavailableError. */
  async save(document: CounterDocument): Promise<void> {
    const { id } = document;
    const [result] = await this.#operations.run([{ type: 'Upsert', partitionKey: [id], id, document }]);
    if (result === undefined || result.status >= 300) {
      throw new StoreUnavailableError(`the counters could not be saved: status ${result?.status}`);
    }
  }

  /** The counters of every instance there was. Throws StoreUnavailableError. */
  async all(): Promise<CounterDocument[]> {
    try {
      const query = "SELECT * FROM c WHERE c.kind = 'counters'";
      return (await this.#container.items.query<CounterDocument>(query).fetchAll()).resources;
    } catch (error) {
      throw new StoreUnavailableError('the counters could not be read', { cause: error });
    }
  }
}
