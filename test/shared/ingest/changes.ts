import type { NormalizedChange } from '../../../shared/change/change.ts';
import type { Columns } from '../../../shared/change/json.ts';
import { rowId } from '../../../shared/change/keys.ts';
import { type TokenRank, tokenOf } from '../../../shared/change/tokens.ts';
import type { Delivery } from '../../../shared/ingest/delivery.ts';

/** Makes changes of one table of stream `s`, as a source would. Positions are numbers; the transaction is the position. */
export class TestTable {
  readonly table: string;

  constructor(name: string) {
    this.table = `ces/s/${name}`;
  }

  insert(at: number, row: Columns): NormalizedChange {
    return this.#change(at, 'insert', 'full', 'full', row.id, { before: null, after: row });
  }

  update(at: number, row: Columns, before: Columns | null = null): NormalizedChange {
    return this.#change(at, 'update', 'partial', 'partial', row.id, { before, after: row });
  }

  delete(at: number, id: number): NormalizedChange {
    return this.#change(at, 'delete', 'none', 'delete', id, { before: null, after: null });
  }

  /** An update that moves the row at `from` to the key in `row`. `transaction` is shared by moves of one statement. */
  move(at: number, from: number, row: Columns, before: Columns | null, transaction = at): NormalizedChange {
    const moved = this.#change(at, 'update', 'partial', 'partial', row.id, { before, after: row });
    const movedFrom = { key: rowId([String(from)]), keys: { id: from } };
    return { ...moved, movedFrom, transaction: { id: `tx ${transaction}`, sequence: at, last: null } };
  }

  #change(
    at: number,
    op: NormalizedChange['op'],
    image: NormalizedChange['image'],
    rank: TokenRank,
    id: Columns[string] | undefined,
    images: Pick<NormalizedChange, 'before' | 'after'>,
  ): NormalizedChange {
    return {
      source: 'ces',
      stream: 's',
      table: this.table,
      identity: `${this.table} ${at}`,
      op,
      image,
      keys: { id: id ?? null },
      key: rowId([String(id)]),
      ...images,
      token: tokenOf(String(at).padStart(4, '0'), rank),
      committedAt: `2026-01-01T00:00:${String(at).padStart(2, '0')}.000Z`,
      transaction: { id: `tx ${at}`, sequence: 1, last: null },
      origin: { at },
    };
  }
}

export function deliver(changes: readonly NormalizedChange[]): Delivery[] {
  return changes.map((decoded) => ({
    decoded,
    position: { identity: decoded.identity },
    bytes: Buffer.from(decoded.identity),
  }));
}
