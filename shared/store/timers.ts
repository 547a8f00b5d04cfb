import type { Container } from '@azure/cosmos';
import { StoreUnavailableError } from './errors.ts';
import type { Operations } from './operations.ts';
import { Queries } from './queries.ts';

/** A document of the container `cursors`: when a timer function last ran, on whichever instance. */
export interface TimerDocument {
  readonly id: string;
  readonly kind: 'timer';
  readonly name: string;
  /** End of the newest run, ISO 8601. */
  readonly lastRunAt: string;
  /** What that run failed with; null when it did not. */
  readonly error: string | null;
}

/** The timers in the container `cursors`. */
export class TimerStore {
  readonly #queries: Queries;
  readonly #operations: Operations;

  constructor(container: Container, operations: Operations) {
    this.#queries = new Queries(container);
    this.#operations = operations;
  }

  /** Throws StoreUnavailableError. */
  async save(name: string, lastRunAt: string, error: string | null): Promise<void> {
    const id = `timer:${name}`;
    const document: TimerDocument = { id, kind: 'timer', name, lastRunAt, error };
    const [result] = await this.#operations.run([{ type: 'Upsert', partitionKey: [id], id, document }]);
    if (result === undefined || result.status >= 300) {
      throw new StoreUnavailableError(`the run of a timer could not be noted: status ${result?.status}`);
    }
  }

  /** Throws StoreUnavailableError. */
  all(): Promise<TimerDocument[]> {
    return this.#queries.all({ query: "SELECT * FROM c WHERE c.kind = 'timer'" });
  }
}
