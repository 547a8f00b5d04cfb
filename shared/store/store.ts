import type { Database } from '@azure/cosmos';
import type { Config } from '../config.ts';
import { CatalogStore } from './catalog.ts';
import { ChangeStore } from './changes.ts';
import { openDatabase } from './client.ts';
import { CONTAINERS, type ContainerName } from './containers.ts';
import { CounterStore } from './counters.ts';
import { CursorStore } from './cursors.ts';
import { DeadLetterStore } from './deadLetters.ts';
import { StoreUnavailableError } from './errors.ts';
import { Operations } from './operations.ts';
import { ParkedStore } from './parked.ts';
import { newRequestMeter, type RequestMeter } from './requestMeter.ts';
import { RowStore } from './rows.ts';
import { SegmentStore } from './segments.ts';
import { TableQueries } from './tables.ts';
import { TimerStore } from './timers.ts';
import { Transactions } from './transactions.ts';
import { TruncationStore } from './truncations.ts';
import { ValueStore } from './valueStore.ts';

/** Raw bytes beyond this stay in Blob Storage: operators list dead letters far more often than they open one. */
const MAX_DEAD_LETTER_BYTES = 1_000_000;

/** The database, one object per container. */
export class Store {
  readonly meter: RequestMeter = newRequestMeter();
  readonly values: ValueStore;
  readonly rows: RowStore;
  readonly changes: ChangeStore;
  readonly segments: SegmentStore;
  readonly catalog: CatalogStore;
  readonly parked: ParkedStore;
  readonly truncations: TruncationStore;
  readonly deadLetters: DeadLetterStore;
  readonly counters: CounterStore;
  readonly cursors: CursorStore;
  readonly timers: TimerStore;
  readonly tables: TableQueries;
  readonly #database: Database;

  private constructor(database: Database, config: Config) {
    this.#database = database;
    this.values = new ValueStore(config.storage);
    const operations = (name: ContainerName, maxDocumentBytes?: number) =>
      new Operations(database.container(CONTAINERS[name].id), this.meter, this.values, maxDocumentBytes);
    const container = (name: ContainerName) => database.container(CONTAINERS[name].id);
    const transactions = (name: ContainerName, each: Operations) => new Transactions(container(name), each, this.meter);
    this.rows = new RowStore(operations('rows'));
    const changes = operations('changes');
    this.changes = new ChangeStore(
      container('changes'),
      changes,
      transactions('changes', changes),
      this.values,
      config.changesTtlSeconds,
    );
    this.segments = new SegmentStore(container('segments'), operations('segments'));
    this.catalog = new CatalogStore(operations('catalog'));
    this.truncations = new TruncationStore(container('rows'), container('catalog'), container('changes'), this.changes);
    const parked = operations('parked');
    this.parked = new ParkedStore(container('parked'), parked, transactions('parked', parked), this.values);
    const deadLetters = operations('deadletters', MAX_DEAD_LETTER_BYTES);
    this.deadLetters = new DeadLetterStore(
      container('deadletters'),
      deadLetters,
      transactions('deadletters', deadLetters),
      this.values,
    );
    this.counters = new CounterStore(container('cursors'), operations('cursors'));
    this.cursors = new CursorStore(operations('cursors'));
    this.timers = new TimerStore(container('cursors'), operations('cursors'));
    this.tables = new TableQueries(container('rows'), container('changes'), this.values);
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
