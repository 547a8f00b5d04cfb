import type { NormalizedChange } from '../change/change.ts';
import { type Columns, canonicalJson, type JsonValue } from '../change/json.ts';
import { LargeValue } from '../change/largeValue.ts';
import { fromDocument } from '../change/rowDocument.ts';
import { withRank } from '../change/tokens.ts';
import { standsFor } from '../store/largeValues.ts';
import type { StoredRow } from '../store/rows.ts';

/** What is known of a row when a change moves it away from its key. */
export interface Leaving {
  /** Its columns that are older than the change; empty for a row that nothing is known of. */
  readonly columns: Columns;
  /** Whether the row that stands at the key is another one, which a change of the same transaction moved there. */
  readonly isAfterAnother: boolean;
}

/**
 * The half of a change that is recorded under the new key: its image, completed by the columns of the row that leaves.
 * `stored`: the row that stands at the new key. Where it is another one, the image is all that is known of the new row
 * (`full`), and keeps what the other one held.
 */
export function arrivalOf(
  change: NormalizedChange,
  { columns, isAfterAnother }: Leaving,
  stored: StoredRow | undefined,
): NormalizedChange {
  const after = { ...columns, ...change.before, ...change.after, ...change.keys };
  const displaced = olderColumns(stored, change.token);
  // Two rows that both stand in the store are two. Of a row that does not, the one at the new key may be the later state:
  // a load may have read it there.
  const isKnown = isAfterAnother || !isEmpty(columns);
  if (isEmpty(displaced) || !(isKnown || contradicts(displaced, after, change.keys))) return { ...change, after };
  return { ...change, image: 'full', token: withRank(change.token, 'full'), after, displaced };
}

/** The half that is recorded under the old key: a delete. */
export function departureOf(change: NormalizedChange, { isAfterAnother }: Leaving): NormalizedChange {
  const { movedFrom, key, keys, transaction, ...rest } = change;
  const departure: NormalizedChange = {
    ...rest,
    op: 'delete',
    image: 'none',
    ...(movedFrom ?? { key, keys: keys ?? {} }),
    movedTo: { key, keys: keys ?? {} },
    after: null,
    token: withRank(change.token, 'delete'),
    transaction,
  };
  return isAfterAnother ? { ...departure, flag: 'spared' } : departure;
}

/** The columns of `stored` that are older than `token`. */
export function olderColumns(stored: StoredRow | undefined, token: string): Columns {
  if (stored === undefined) return {};
  const cells = [...fromDocument(stored.document).state.cells];
  return Object.fromEntries(
    cells.filter(([, cell]) => cell.token < token).map(([column, { value }]) => [column, value]),
  );
}

/** Whether a row with the columns `row` is another one than `image` tells of, by a column besides its `keys`. */
export function contradicts(row: Columns, image: Columns | null, keys: Columns | null): boolean {
  return Object.entries(image ?? {}).some(([column, value]) => {
    const stored = Object.hasOwn(row, column) ? row[column] : undefined;
    return !Object.hasOwn(keys ?? {}, column) && stored !== undefined && !isSame(stored, value);
  });
}

/** A large value stands in its row as a pointer. */
function isSame(stored: JsonValue, sent: JsonValue): boolean {
  if (stored instanceof LargeValue && typeof sent === 'string') return standsFor(stored, sent);
  return canonicalJson(stored) === canonicalJson(sent);
}

function isEmpty(columns: Columns): boolean {
  return Object.keys(columns).length === 0;
}
