import type { ShopModel } from '../../local/samples/shopModel.ts';
import { canonicalJson } from '../../shared/change/json.ts';
import type { RowDocument } from '../../shared/change/rowDocument.ts';

/** Table and id -> what the row holds: canonical text, or `deleted`. Sorted, so that equal contents are equal values. */
export type RowTexts = { readonly [tableAndId: string]: string };

/** What the model says. */
export function modelOf(model: ShopModel): RowTexts {
  const rows = [...model.rows].flatMap(([table, byId]) =>
    [...byId].map(([id, { row, deleted }]): [string, string] => [
      `${table}/${id}`,
      deleted ? 'deleted' : canonicalJson(row),
    ]),
  );
  return sorted(rows);
}

/** What the database holds. */
export function rowsByTable(rows: readonly Pick<RowDocument, 'table' | 'id' | 'row' | 'deleted'>[]): RowTexts {
  return sorted(
    rows.map(({ table, id, row, deleted }) => [`${table}/${id}`, deleted ? 'deleted' : canonicalJson(row)]),
  );
}

function sorted(rows: readonly [string, string][]): RowTexts {
  return Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}
