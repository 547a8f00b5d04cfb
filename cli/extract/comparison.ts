import type { JsonValue } from '../../shared/change/json.ts';
import type { ComparedRow } from '../../shared/store/tables.ts';
import { rowKeyOf, type TableColumns, typedValue } from './columnTypes.ts';
import { type Difference, differenceOf } from './compare.ts';
import type { ExtractRow } from './extract.ts';

/** What one column of one row differs in. */
export interface ColumnDifference {
  readonly id: string;
  readonly column: string;
  readonly difference: Difference;
  readonly expected: JsonValue;
  /** Undefined where the row does not have the column. */
  readonly actual: JsonValue | undefined;
}

export interface ComparisonReport {
  readonly compared: number;
  /** In the extract, and not among the rows. */
  readonly missing: number;
  /** Among the rows, and not in the extract. */
  readonly extra: number;
  readonly different: number;
  readonly columns: { readonly [column: string]: { readonly [kind in Difference]?: number } };
  readonly missingIds: readonly string[];
  readonly extraIds: readonly string[];
  readonly differences: readonly ColumnDifference[];
  /** Rows of the extract that have the key of another one. */
  readonly duplicates: number;
}

/** So many of each kind are named; all are counted. */
const EXAMPLES = 5;

/** Compares the rows of a table with an extract of its source. The extract comes first, then the rows, in any order. */
export class Comparison {
  readonly #table: TableColumns;
  readonly #key: readonly string[];
  /** Id -> the row of the extract that no row has been found for. */
  readonly #expected = new Map<string, ExtractRow>();
  readonly #columns = new Map<string, Map<Difference, number>>();
  readonly #differences: ColumnDifference[] = [];
  readonly #extraIds: string[] = [];
  #compared = 0;
  #extra = 0;
  #different = 0;
  #duplicates = 0;

  constructor(table: TableColumns, key: readonly string[]) {
    this.#table = table;
    this.#key = key;
  }

  get expected(): number {
    return this.#expected.size;
  }

  /** Throws UsageError where the row lacks its key. */
  expect(row: ExtractRow): void {
    const typed = new Map(
      this.#key.map((column): [string, JsonValue] => {
        const value = row.get(column) ?? null;
        return [column, typedValue(this.#table, column, value) ?? value];
      }),
    );
    const { key } = rowKeyOf(this.#table, this.#key, typed);
    if (this.#expected.has(key)) this.#duplicates++;
    this.#expected.set(key, row);
  }

  compare({ id, row, deleted }: ComparedRow): void {
    if (deleted) return;
    const expected = this.#expected.get(id);
    if (expected === undefined) {
      this.#extra++;
      if (this.#extraIds.length < EXAMPLES) this.#extraIds.push(id);
      return;
    }
    this.#expected.delete(id);
    this.#compared++;
    let isDifferent = false;
    for (const [column, sent] of expected) {
      const actual = Object.hasOwn(row, column) ? row[column] : undefined;
      const difference = differenceOf(sent, typedValue(this.#table, column, sent), actual);
      if (difference === undefined) continue;
      isDifferent = true;
      this.#note({ id, column, difference, expected: sent, actual });
    }
    if (isDifferent) this.#different++;
  }

  report(): ComparisonReport {
    const columns = [...this.#columns].map(([column, kinds]) => [column, Object.fromEntries(kinds)]);
    return {
      compared: this.#compared,
      missing: this.#expected.size,
      extra: this.#extra,
      different: this.#different,
      columns: Object.fromEntries(columns),
      missingIds: [...this.#expected.keys()].slice(0, EXAMPLES),
      extraIds: this.#extraIds,
      differences: this.#differences,
      duplicates: this.#duplicates,
    };
  }

  #note(found: ColumnDifference): void {
    const kinds = this.#columns.get(found.column) ?? new Map<Difference, number>();
    const count = kinds.get(found.difference) ?? 0;
    kinds.set(found.difference, count + 1);
    this.#columns.set(found.column, kinds);
    const isNamed = this.#differences.filter(({ difference }) => difference === found.difference).length < EXAMPLES;
    if (isNamed) this.#differences.push(found);
  }
}
