import { canonicalJson } from '../change/json.ts';
import { rowId } from '../change/keys.ts';
import type { CatalogDocument, CatalogStorage } from '../ingest/catalogStore.ts';
import type { CesTable } from './tableShape.ts';

type Column = CesTable['columns'][number];

/** One set of columns that a table has had. */
export interface TableVersion {
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  /** The smallest token of an event that showed it. */
  readonly token: string;
  readonly firstSeenAt: string;
}

/** The `catalog` document of a table: its newest columns, and every version seen, oldest first by token. */
export interface TableDocument extends CatalogDocument {
  readonly kind: 'table';
  readonly source: 'ces';
  readonly table: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly versions: readonly TableVersion[];
  readonly updatedAt: string;
}

/** What one event says about its table. */
export interface TableSighting {
  readonly table: CesTable;
  /** Whether the event names every column: only then is a column that it lacks gone. */
  readonly isFull: boolean;
  readonly token: string;
}

/**
 * Records each table's columns and types, with every version seen. The source sends no schema changes: the next event
 * just names other columns. An event with the changed columns only says nothing of the others, so it makes a new version
 * only when it names a column, a type or a key that the version before it does not have.
 */
export class TableCatalog {
  readonly #storage: CatalogStorage;
  readonly #stream: string;
  /** Shapes that are recorded. The normaliser gives one object for equal shapes. */
  readonly #recorded = new WeakMap<CesTable, { isFull: boolean }>();

  constructor(storage: CatalogStorage, stream: string) {
    this.#storage = storage;
    this.#stream = stream;
  }

  /** Makes what `sightings` say durable. Throws StoreUnavailableError. */
  async record(sightings: Iterable<TableSighting>): Promise<void> {
    const fresh = new Map<CesTable, TableSighting>();
    for (const sighting of sightings) {
      const known = this.#recorded.get(sighting.table);
      if (known !== undefined && (known.isFull || !sighting.isFull)) continue;
      const pending = fresh.get(sighting.table);
      if (pending === undefined || (sighting.isFull && !pending.isFull)) fresh.set(sighting.table, sighting);
    }
    for (const sighting of fresh.values()) {
      await this.#recordOne(sighting);
      this.#recorded.set(sighting.table, { isFull: sighting.isFull });
    }
  }

  async #recordOne(sighting: TableSighting): Promise<void> {
    const id = tableDocumentId(sighting.table.table);
    for (;;) {
      const stored = await this.#storage.read<TableDocument>(this.#stream, id);
      const versions = withSighting(stored?.document.versions ?? [], sighting, new Date().toISOString());
      if (versions === undefined) return;
      if ((await this.#storage.write(this.#document(id, sighting, versions), stored?.etag)) === 'written') return;
    }
  }

  #document(id: string, { table }: TableSighting, versions: readonly TableVersion[]): TableDocument {
    const newest = versions.at(-1);
    return {
      id,
      stream: this.#stream,
      kind: 'table',
      source: 'ces',
      table: table.table,
      columns: newest?.columns ?? [],
      key: newest?.key ?? [],
      versions,
      updatedAt: new Date().toISOString(),
    };
  }
}

export function tableDocumentId(table: string): string {
  return `table:${rowId([table])}`;
}

/** `versions` with what the sighting adds; undefined when it adds nothing. */
export function withSighting(
  versions: readonly TableVersion[],
  { table, isFull, token }: TableSighting,
  firstSeenAt: string,
): readonly TableVersion[] | undefined {
  const { key } = table;
  const columns = [...table.columns].sort(byIndex);
  if (versions.some((version) => covers(version, columns, key, isFull))) return undefined;
  const before = versions.findLast((version) => version.token <= token);
  const known = isFull ? [] : (before?.columns ?? []).filter(({ name }) => !columns.some((each) => each.name === name));
  const version: TableVersion = { columns: [...known, ...columns].sort(byIndex), key, token, firstSeenAt };
  return [...versions, version].sort((a, b) => (a.token < b.token ? -1 : 1));
}

function covers(version: TableVersion, columns: readonly Column[], key: readonly string[], isFull: boolean): boolean {
  if (canonicalJson([...version.key]) !== canonicalJson([...key])) return false;
  if (isFull && version.columns.length !== columns.length) return false;
  const texts = new Set(version.columns.map((column) => canonicalJson({ ...column })));
  return columns.every((column) => texts.has(canonicalJson({ ...column })));
}

function byIndex(a: Column, b: Column): number {
  return (a.index ?? 0) - (b.index ?? 0);
}
