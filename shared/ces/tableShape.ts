import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { isObject } from './exactParse.ts';
import type { CesEventSource } from './payload.ts';
import { type SqlType, sqlType } from './sqlTypes.ts';

/** What an event says about its table, for the catalog. With changed columns only, `columns` are just those. */
export interface CesTable {
  /** `ces/<stream>/<database>.<schema>.<table>`. */
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly type: string | null; readonly index: number | null }[];
  /** The key columns in key order; empty for a table without a key. */
  readonly key: readonly string[];
}

/** A column ready for reading values. */
export interface ShapeColumn {
  readonly name: string;
  readonly type: SqlType;
}

/** A table as one kind of its events describes it, with everything that need not be worked out per event. */
export interface TableShape {
  readonly table: CesTable;
  readonly columns: ReadonlyMap<string, ShapeColumn>;
  readonly key: readonly ShapeColumn[];
}

/** Tables remembered, and shapes per table: a table with changed columns only has many, and the oldest give way. */
const MAX_TABLES = 10_000;
const MAX_SHAPES_PER_TABLE = 8;

/**
 * Remembers the shapes of a stream's tables, because each event repeats all columns and types of its table, and telling
 * that they are the same is cheaper than reading them. Equal shapes give the same object, so that `===` on `table` tells
 * whether the catalog has been told already.
 */
export class TableShapes {
  readonly #stream: string;
  readonly #databases: { readonly [renamed: string]: string };
  readonly #shapes = new Map<string, TableShape[]>();
  /** Events of one table tend to follow each other. */
  #latest: (Pick<CesEventSource, 'db' | 'schema' | 'tbl'> & { readonly shape: TableShape }) | undefined;

  constructor(stream: string, databases: { readonly [renamed: string]: string }) {
    this.#stream = stream;
    this.#databases = databases;
  }

  /** Throws UnprocessableError (`invalid-envelope`) where columns or key are not as the format says. */
  shapeOf(source: CesEventSource): TableShape {
    const { db, schema, tbl } = source;
    const latest = this.#latest;
    const isSameTable = latest?.db === db && latest.schema === schema && latest.tbl === tbl;
    if (latest !== undefined && isSameTable && isSame(latest.shape.table, source)) return latest.shape;
    const shape = this.#find(source);
    this.#latest = { db, schema, tbl, shape };
    return shape;
  }

  #find(source: CesEventSource): TableShape {
    // The lengths tell names apart that only differ in where one part ends and the next begins.
    const name = `${source.db.length}/${source.schema.length}/${source.db}${source.schema}${source.tbl}`;
    const known = this.#shapes.get(name) ?? [];
    for (const shape of known) if (isSame(shape.table, source)) return shape;
    const shape = readShape(this.#tableName(source), source);
    if (this.#shapes.size >= MAX_TABLES) this.#shapes.clear();
    this.#shapes.set(name, [shape, ...known].slice(0, MAX_SHAPES_PER_TABLE));
    return shape;
  }

  #tableName({ db, schema, tbl }: CesEventSource): string {
    const database = Object.hasOwn(this.#databases, db) ? this.#databases[db] : db;
    return `ces/${this.#stream}/${database}.${schema}.${tbl}`;
  }
}

/** The name of the column that an item of `pkkey` is about. */
function keyColumnName(item: JsonValue): string {
  const name = isObject(item) ? item.columnname : undefined;
  if (typeof name !== 'string') throw new UnprocessableError('invalid-envelope', 'an item of pkkey has no columnname');
  return name;
}

function isSame({ columns, key }: CesTable, { cols, pkkey }: CesEventSource): boolean {
  if (cols.length !== columns.length || pkkey.length !== key.length) return false;
  for (let at = 0; at < columns.length; at++) {
    const [column, known] = [cols[at], columns[at]];
    if (!isObject(column) || column.name !== known?.name) return false;
    if ((column.type ?? null) !== known?.type || (column.index ?? null) !== known.index) return false;
  }
  for (let at = 0; at < key.length; at++) {
    const item = pkkey[at];
    if (!isObject(item) || item.columnname !== key[at]) return false;
  }
  return true;
}

function readShape(table: string, { cols, pkkey }: CesEventSource): TableShape {
  const columns = cols.map((column) => {
    const name = isObject(column) ? column.name : undefined;
    if (!isObject(column) || typeof name !== 'string') {
      throw new UnprocessableError('invalid-envelope', 'an item of cols has no name');
    }
    const { type, index } = column;
    return { name, type: typeof type === 'string' ? type : null, index: typeof index === 'number' ? index : null };
  });
  const key = pkkey.map(keyColumnName);
  if (new Set(key).size !== key.length) {
    throw new UnprocessableError('invalid-envelope', 'pkkey names a column twice');
  }
  const byName = new Map(columns.map(({ name, type }) => [name, { name, type: sqlType(type ?? undefined) }]));
  return {
    table: { table, columns, key },
    columns: byName,
    key: key.map((name) => byName.get(name) ?? { name, type: sqlType(undefined) }),
  };
}
