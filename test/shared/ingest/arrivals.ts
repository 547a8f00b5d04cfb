import type { Columns } from '../../../shared/change/json.ts';
import { rowId } from '../../../shared/change/keys.ts';
import type { ArrivalDelivery, PendingChange } from '../../../shared/ingest/arrival.ts';

/** Makes changes of one table of stream `s` whose order is `at` first, and then when they arrived. */
export class PendingTable {
  readonly table: string;

  constructor(name: string) {
    this.table = `goldengate/s/${name}`;
  }

  /** A partial image. `pos` names the change: equal ones are deliveries of one change. */
  put(pos: string, at: number, row: Columns): PendingChange {
    return this.#change(pos, at, 'update', row.id, row);
  }

  delete(pos: string, at: number, id: number): PendingChange {
    return this.#change(pos, at, 'delete', id, null);
  }

  move(pos: string, at: number, from: number, row: Columns): PendingChange {
    const movedFrom = { key: rowId([String(from)]), keys: { id: from } };
    return { ...this.put(pos, at, row), before: { id: from }, movedFrom };
  }

  #change(
    pos: string,
    at: number,
    op: 'update' | 'delete',
    id: Columns[string] | undefined,
    after: Columns | null,
  ): PendingChange {
    return {
      source: 'goldengate',
      stream: 's',
      table: this.table,
      identity: `${this.table} ${pos}`,
      op,
      image: op === 'delete' ? 'none' : 'partial',
      keys: { id: id ?? null },
      key: rowId([String(id)]),
      before: null,
      after,
      order: { prefix: String(at).padStart(4, '0'), rank: op === 'delete' ? 'delete' : 'partial' },
      committedAt: null,
      transaction: { id: pos, sequence: null, last: null },
      origin: { pos },
    };
  }
}

/** `changes` as the records of one request. */
export function request(changes: readonly PendingChange[]): ArrivalDelivery[] {
  return changes.map((decoded, index) => ({
    decoded,
    index,
    position: { identity: decoded.identity },
    bytes: Buffer.from(decoded.identity),
  }));
}
