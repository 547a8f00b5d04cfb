import type { Database } from '@azure/cosmos';
import type { Config } from '../config.ts';
import { ChangeStore } from './changes.ts';
import { openDatabase } from './client.ts';
import { CONTAINERS } from './containers.ts';
import { CounterStore } from './counters.ts';
import { DeadLetterStore } from './deadLetters.ts';
import { StoreUnavailableError } from './errors.ts';
import { newRequestMeter, type RequestMeter } from './requestMeter.ts';
import { RowStore } from './rows.ts';

/** The database, one object per container. */
export class Store {
  readonly meter: RequestMeter = newRequestMeter();
  readonly rows: RowStore;
  readonly changes: ChangeStore;
  readonly deadLetters: DeadLetterStore;
  readonly counters: CounterStore;
  readonly #database: Database;

  private constructor(database: Database, config: Config) {
    this.#database = database;
    this.rows = new RowStore(database.container(CONTAINERS.rows.id), this.meter);
    this.changes = new ChangeStore(database.container(CONTAINERS.changes.id), this.meter, config.changesTtlSeconds);
    this.deadLetters = new DeadLetterStore(database.container(CONTAINERS.deadletters.id), this.meter);
    this.counters = new CounterStore(database.container(CONTAINERS.cursors.id));
  }

  /** Makes no request: the app starts whether the database can be reached or not. */
  static async open(config: Config): Promise<Store> {
    return new Store(await openDatabase(config.cosmos), config);
  }

  /** Touches the container that every write ends in. Throws StoreUnavailableError when it cannot be read. */
  async ping(): Promise<void> {
    try {
      await this.#database.container(CONTAINERS.rows.id).read();
    } catch (error) {
      throw new StoreUnavailableError('Cosmos DB does not answer', { cause: error });
    }
  }
}
