import type { Columns } from '../../shared/change/json.ts';
import { rowId } from '../../shared/change/keys.ts';
import type { SampleEvent } from './sampleEvent.ts';

/** What a row must be in the end. A deleted row has no columns. */
export interface ModelRow {
  readonly row: Columns;
  readonly deleted: boolean;
}

/** Table -> row id -> row. */
export type ModelRows = ReadonlyMap<string, ReadonlyMap<string, ModelRow>>;

/**
 * The rows that sample events must end in, worked out the simple way: applied one by one in commit order. Tests compare
 * with it what came out of the real thing, where events arrive in any order and more than once.
 */
export class ShopModel {
  readonly #stream: string;
  readonly #tables = new Map<string, Map<string, ModelRow>>();

  constructor(stream: string) {
    this.#stream = stream;
  }

  get rows(): ModelRows {
    return this.#tables;
  }

  /** Takes the next event in commit order. */
  apply({ table, operation, keys, current }: SampleEvent): void {
    const name = `ces/${this.#stream}/${table.db}.${table.schema}.${table.tbl}`;
    const rows = this.#tables.get(name) ?? new Map<string, ModelRow>();
    this.#tables.set(name, rows);
    const id = rowId(table.key.map((column) => String(keys[column])));
    if (operation === 'DEL') rows.set(id, { row: {}, deleted: true });
    else if (operation === 'INS') rows.set(id, { row: current ?? {}, deleted: false });
    else rows.set(id, { row: { ...rows.get(id)?.row, ...current }, deleted: false });
  }
}
