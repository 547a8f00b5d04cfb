import type { Container, SqlQuerySpec } from '@azure/cosmos';
import type { Source } from '../change/change.ts';
import type { ParkedRecord, ParkedStorage, Wait } from '../ingest/parkedStore.ts';
import { StoreUnavailableError } from './errors.ts';
import { withLargeValues } from './largeValues.ts';
import type { Operations } from './operations.ts';
import type { ValueStore } from './valueStore.ts';

const NOT_FOUND = 404;
const EXISTS = 409;
/** Records that one sweep looks at; the next sweep takes the rest. */
const OVERDUE_PER_SWEEP = 100;

/** The container `parked`: one logical partition per thing that is waited for, so that all who wait can be read in order. */
export class ParkedStore implements ParkedStorage {
  readonly #container: Container;
  readonly #operations: Operations;
  readonly #values: ValueStore;

  constructor(container: Container, operations: Operations, values: ValueStore) {
    this.#container = container;
    this.#operations = operations;
    this.#values = values;
  }

  async keep(records: readonly ParkedRecord[]): Promise<('kept' | { readonly rejected: number })[]> {
    const operations = records.map((document) => {
      return { type: 'Create' as const, partitionKey: [document.waitingFor], id: document.id, document };
    });
    const results = await this.#operations.run(operations);
    return results.map(({ status }) => (status < 300 || status === EXISTS ? 'kept' : { rejected: status }));
  }

  async waitingFor(waitingFor: string, afterPlace: string, limit: number): Promise<ParkedRecord[]> {
    const query = {
      query: `SELECT * FROM c WHERE c.waitingFor = @waitingFor AND c.place > @after ORDER BY c.place OFFSET 0 LIMIT ${limit}`,
      parameters: [
        { name: '@waitingFor', value: waitingFor },
        { name: '@after', value: afterPlace },
      ],
    };
    return this.#whole(await this.#query<ParkedRecord>(query, [waitingFor]));
  }

  async remove(records: readonly Pick<ParkedRecord, 'id' | 'waitingFor'>[]): Promise<void> {
    const operations = records.map(({ id, waitingFor }) => {
      return { type: 'Delete' as const, partitionKey: [waitingFor], id };
    });
    const bad = (await this.#operations.run(operations)).find(({ status }) => status >= 300 && status !== NOT_FOUND);
    if (bad !== undefined)
      throw new StoreUnavailableError(`a parked record could not be removed: status ${bad.status}`);
  }

  async parkedBefore(time: string): Promise<ParkedRecord[]> {
    const query = {
      query: `SELECT * FROM c WHERE c.parkedAt < @time ORDER BY c.parkedAt OFFSET 0 LIMIT ${OVERDUE_PER_SWEEP}`,
      parameters: [{ name: '@time', value: time }],
    };
    return this.#whole(await this.#query<ParkedRecord>(query));
  }

  async waits(source: Source): Promise<Wait[]> {
    const query = {
      query: 'SELECT DISTINCT c.source, c.stream, c.waitingFor FROM c WHERE c.source = @source',
      parameters: [{ name: '@source', value: source }],
    };
    return this.#query<Wait>(query);
  }

  /** How many records of a stream wait, and since when the oldest does. Throws StoreUnavailableError. */
  async waitingOf(
    source: Source,
    stream: string,
  ): Promise<{ readonly records: number; readonly oldest: string | null }> {
    const where = 'WHERE c.source = @source AND c.stream = @stream';
    const parameters = [
      { name: '@source', value: source },
      { name: '@stream', value: stream },
    ];
    const oldest = `SELECT VALUE c.parkedAt FROM c ${where} ORDER BY c.parkedAt OFFSET 0 LIMIT 1`;
    const [counts, firsts] = await Promise.all([
      this.#query<number>({ query: `SELECT VALUE COUNT(1) FROM c ${where}`, parameters }),
      this.#query<string>({ query: oldest, parameters }),
    ]);
    return { records: counts[0] ?? 0, oldest: firsts[0] ?? null };
  }

  async #whole(records: readonly ParkedRecord[]): Promise<ParkedRecord[]> {
    return Promise.all(records.map((record) => withLargeValues(record, this.#values)));
  }

  async #query<Row>(query: SqlQuerySpec, partitionKey?: string[]): Promise<Row[]> {
    try {
      const options = partitionKey === undefined ? {} : { partitionKey };
      return (await this.#container.items.query<Row>(query, options).fetchAll()).resources;
    } catch (error) {
      throw new StoreUnavailableError('the parked records could not be queried', { cause: error });
    }
  }
}
