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
  readonly #formerly = new Map<string, readonly TableKnowledge[]>();

  constructor(catalog: GoldenGateCatalog) {
    this.#catalog = catalog;
  }

  /** Makes sure that `tables` have been asked for. Throws StoreUnavailableError. */
  async load(tables: Iterable<string>): Promise<void> {
    const unknown = [...new Set(tables)].filter((table) => !this.#tables.has(table));
    await Promise.all(unknown.map((table) => this.reload(table)));
  }

  /** Asks again. Returns whether metadata tells the table's key now. Throws StoreUnavailableError. */
  async reload(table: string): Promise<boolean> {
    return this.learn(table, await this.#catalog.table(table));
  }

  /** Takes over what has just been recorded. Returns whether metadata tells the table's key. */
  learn(table: string, document: TableDocument | undefined): boolean {
    const knowledge = document === undefined ? NOTHING : knowledgeOf(document.columns, document.types);
    this.#tables.set(table, knowledge);
    const formerly = document === undefined ? [] : otherKeys(document, knowledge);
    if (formerly.length > 0) this.#formerly.set(table, formerly);
    else this.#formerly.delete(table);
    return knowledge.key !== undefined;
  }

  of(table: string): TableKnowledge {
    return this.#tables.get(table) ?? NOTHING;
  }

  /** Tables that had other keys: table -> what was known of it with each of them, the latest first. Mostly empty. */
  get formerly(): ReadonlyMap<string, readonly TableKnowledge[]> {
    return this.#formerly;
  }
}

const NOTHING: TableKnowledge = { key: undefined, columns: [], types: {} };

function knowledgeOf(columns: TableDocument['columns'], types: TableDocument['types']): TableKnowledge {
  const typeOf = (name: string) => (Object.hasOwn(types, name) ? types[name] : undefined);
  const key = columns
    .filter((column) => column.key)
    .map(({ name, type }): KeyColumn => ({ name, type: typeOf(name) ?? type }));
  return { key: key.length === 0 ? undefined : key, columns: columns.map(({ name }) => name), types };
}

/** Of each key that a version has and the newest does not, the latest version. */
function otherKeys({ versions, types }: TableDocument, { key }: TableKnowledge): readonly TableKnowledge[] {
  if (versions.length < 2) return [];
  const seen = new Set([JSON.stringify(key)]);
  return versions.toReversed().flatMap(({ columns }) => {
    const knowledge = knowledgeOf(columns, types);
    const name = JSON.stringify(knowledge.key);
    if (knowledge.key === undefined || seen.has(name)) return [];
    seen.add(name);
    return [knowledge];
  });
}
