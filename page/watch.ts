import type { Api } from './api.ts';
import type { Health, TableSummary } from './contract.ts';
import { RateMeter } from './rates.ts';
import type { Snapshot } from './snapshot.ts';

/** Counting rows and touching every dependency cost more than reading a few counters: not at each turn. */
const SELDOM_MS = 10_000;

/** Reads what the page shows all the time. */
export class Watch {
  readonly #api: Api;
  readonly #meter = new RateMeter();
  #latest: Snapshot | undefined;
  #seldomAt = Number.NEGATIVE_INFINITY;
  #tables: readonly TableSummary[] | null = null;
  #hasMoreTables = false;
  #health: Health | null = null;

  constructor(api: Api) {
    this.#api = api;
  }

  get latest(): Snapshot | undefined {
    return this.#latest;
  }

  /** Throws ApiError when the status cannot be read; without health or tables, their last answers have to do. */
  async read(): Promise<Snapshot> {
    if (performance.now() - this.#seldomAt >= SELDOM_MS) {
      this.#seldomAt = performance.now();
      void this.#readSeldom();
    }
    const status = await this.#api.status();
    const rates = this.#meter.add(status);
    const [tables, hasMoreTables, health] = [this.#tables, this.#hasMoreTables, this.#health];
    this.#latest = { status, rates, tables, hasMoreTables, health };
    return this.#latest;
  }

  pause(): void {
    this.#meter.reset();
  }

  /** Everything: what one key has shown is nothing for whoever has none. */
  forget(): void {
    this.pause();
    this.#latest = undefined;
    this.#tables = null;
    this.#health = null;
    this.#seldomAt = Number.NEGATIVE_INFINITY;
  }

  async #readSeldom(): Promise<void> {
    const [tables, health] = await Promise.allSettled([this.#api.tables(), this.#api.health()]);
    if (tables.status === 'fulfilled') {
      this.#tables = tables.value.items;
      this.#hasMoreTables = tables.value.continuation !== null;
    }
    this.#health = health.status === 'fulfilled' ? health.value : null;
  }
}
