import type { Health, Status, TableSummary } from './contract.ts';
import type { Rate } from './rates.ts';

/** The newest answers, and what moves per second by them. */
export interface Snapshot {
  readonly status: Status;
  readonly rates: ReadonlyMap<string, Rate>;
  /** The largest tables; null before the first answer. */
  readonly tables: readonly TableSummary[] | null;
  readonly hasMoreTables: boolean;
  readonly health: Health | null;
}
