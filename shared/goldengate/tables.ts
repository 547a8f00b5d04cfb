import type { GoldenGateCatalog, TableDocument } from './catalog.ts';
import type { TableKnowledge } from './dataChange.ts';
import type { KeyColumn } from './rowKey.ts';

/**
 * What one request knows of its tables. The catalog is asked once per request and table: another instance may have
 * recorded other metadata since the last one, and a key by old metadata would be another row.
 */
export class KnownTables {
  readonly #catalog: GoldenGateCatalog;
  readonly #tables = new Map<string, TableKnowledge>();

  constructor(catalog: GoldenGateCatalog) {
    this.#catalog = catalog;
  }

  /** Makes sure that `tables` have been asked for. Throws StoreUnavailableError. */
  async load(tables: Iterable<string>): Promise<void> {
    const unknown = [...new Set(tables)].filter((table) => !this.#tables.has(table));
    await Promise.all(unknown.map((table) => this.reload(table)));
  }

  /** Asks again. Returns whether the table's key is known now. Throws StoreUnavailableError. */
  async reload(table: string): Promise<boolean> {
    return this.learn(table, await this.#catalog.table(table));
  }

  /** Takes over what has just been recorded. Returns whether the table's key is known. */
  learn(table: string, document: TableDocument | undefined): boolean {
    const knowledge = knowledgeOf(document);
    this.#tables.set(table, knowledge);
    return knowledge.key !== undefined;
  }

  of(table: string): TableKnowledge {
    return this.#tables.get(table) ?? NOTHING;
  }
}

const NOTHING: TableKnowledge = { key: undefined, columns: [], types: {} };

function knowledgeOf(document: TableDocument | undefined): TableKnowledge {
  if (document === undefined) return NOTHING;
  const { columns, types } = document;
  const typeOf = (name: string) => (Object.hasOwn(types, name) ? types[name] : undefined);
  const key = columns
    .filter((column) => column.key)
    .map(({ name, type }): KeyColumn => ({ name, type: typeOf(name) ?? type }));
  return { key: key.length === 0 ? undefined : key, columns: columns.map(({ name }) => name), types };
}
