import { parseAvroSchema } from '../avro/schema.ts';
import { canonicalJson, type JsonValue } from '../change/json.ts';
import type { CatalogDocument, CatalogStorage } from '../ingest/catalogStore.ts';
import { type AvroReader, readerOf } from './avroReader.ts';
import {
  type RegisteredSchemaDocument,
  registeredSchemaId,
  type TableDocument,
  tableId,
  type VersionDocument,
  versionId,
} from './catalogDocuments.ts';
import type { TableVersion } from './metadata.ts';
import { VersionPlan } from './versionPlan.ts';

/** What is read from the catalog counts this long: another instance may have written something newer. */
const REMEMBERED_MS = 10_000;
const MAX_REMEMBERED = 5_000;

/** A schema registered by hand, ready for reading. */
export interface RegisteredSchema {
  readonly reader: AvroReader;
  readonly table: string | null;
  readonly key: readonly string[] | null;
}

/** What is known of a table from its own catalog entry. */
export interface KnownTable {
  /** The newest version; null where no metadata has named the table. */
  readonly plan: VersionPlan | null;
  readonly key: readonly string[];
}

/** What one stream has told of its tables, in `catalog`. Every method throws StoreUnavailableError. */
export class SchemaCatalog {
  readonly #storage: CatalogStorage;
  readonly #stream: string;
  readonly #versions = new Remembered<VersionPlan>();
  readonly #registered = new Remembered<RegisteredSchema>();
  readonly #tables = new Remembered<KnownTable>();

  constructor(storage: CatalogStorage, stream: string) {
    this.#storage = storage;
    this.#stream = stream;
  }

  /** Makes a version known. One that comes again changes nothing. */
  async saveVersion(version: TableVersion): Promise<void> {
    const id = versionId(version.schemaId);
    const table = version.table === null ? null : this.#qualified(version.table);
    const document: VersionDocument = {
      id,
      stream: this.#stream,
      kind: 'qlik-version',
      source: 'qlik',
      schemaId: version.schemaId,
      table,
      version,
      receivedAt: new Date().toISOString(),
    };
    await this.#update<VersionDocument>(id, (stored) =>
      isSameVersion(stored?.version, version) ? undefined : document,
    );
    if (table !== null) await this.#saveTable(table, version);
    this.#versions.set(version.schemaId, new VersionPlan(version));
    if (version.table !== null) this.#tables.forget(version.table);
  }

  /** Notes that a table without metadata has the key that one of its DELETEs names. The first one counts. */
  async learnKey(name: string, key: readonly string[]): Promise<void> {
    const table = this.#qualified(name);
    await this.#update<TableDocument>(tableId(table), (stored) =>
      stored === undefined
        ? { ...this.#tableHeader(table), columns: [], key, keyFrom: 'delete', versions: [] }
        : undefined,
    );
    this.#tables.forget(name);
  }

  /** Throws UnprocessableError (`illegal-schema`) for a schema that cannot be used. */
  async register(
    registryId: number,
    { schema, table, key }: Pick<RegisteredSchemaDocument, 'schema' | 'table' | 'key'>,
  ): Promise<void> {
    readerOf(parseAvroSchema(schema));
    const id = registeredSchemaId(registryId);
    const document: RegisteredSchemaDocument = {
      id,
      stream: this.#stream,
      kind: 'qlik-registered-schema',
      source: 'qlik',
      registryId,
      schema,
      table,
      key,
      updatedAt: new Date().toISOString(),
    };
    await this.#update<RegisteredSchemaDocument>(id, () => document);
    this.#registered.forget(String(registryId));
  }

  async version(schemaId: string): Promise<VersionPlan | undefined> {
    return this.#versions.get(schemaId, async () => {
      const stored = await this.#storage.read<VersionDocument>(this.#stream, versionId(schemaId));
      return stored && new VersionPlan(stored.document.version);
    });
  }

  async registered(registryId: number): Promise<RegisteredSchema | undefined> {
    return this.#registered.get(String(registryId), async () => {
      const id = registeredSchemaId(registryId);
      const stored = await this.#storage.read<RegisteredSchemaDocument>(this.#stream, id);
      if (stored === undefined) return undefined;
      const { schema, table, key } = stored.document;
      return { reader: readerOf(parseAvroSchema(schema)), table, key };
    });
  }

  async table(name: string): Promise<KnownTable | undefined> {
    return this.#tables.get(name, async () => {
      const stored = await this.#storage.read<TableDocument>(this.#stream, tableId(this.#qualified(name)));
      if (stored === undefined) return undefined;
      const newest = stored.document.versions.at(-1);
      const plan = newest === undefined ? undefined : await this.version(newest.schemaId);
      return { plan: plan ?? null, key: stored.document.key };
    });
  }

  /** The next look is at the database: what was missing may have come meanwhile. */
  forgetMissing(): void {
    for (const memory of [this.#versions, this.#registered, this.#tables]) memory.forgetMissing();
  }

  async #saveTable(table: string, version: TableVersion): Promise<void> {
    await this.#update<TableDocument>(tableId(table), (stored) => {
      const others = (stored?.versions ?? []).filter(({ schemaId }) => schemaId !== version.schemaId);
      const isKnown = others.length < (stored?.versions.length ?? 0);
      const added = { schemaId: version.schemaId, tableVersion: version.lineage.tableVersion };
      // Versions without a number stand in the order in which they came.
      const versions = isKnown ? (stored?.versions ?? []) : [...others, added].sort(byTableVersion);
      const isNewest = versions.at(-1)?.schemaId === version.schemaId;
      if (stored !== undefined && !isNewest) {
        const { columns, key, keyFrom } = stored;
        return isKnown ? undefined : { ...this.#tableHeader(table), columns, key, keyFrom, versions };
      }
      const { columns, key } = version;
      if (isKnown && isSame(stored?.columns, columns) && isSame(stored?.key, key)) return undefined;
      return { ...this.#tableHeader(table), columns, key, keyFrom: 'metadata', versions };
    });
  }

  #tableHeader(table: string) {
    return {
      id: tableId(table),
      stream: this.#stream,
      kind: 'table',
      source: 'qlik',
      table,
      updatedAt: new Date().toISOString(),
    } as const;
  }

  /** Writes what `next` makes of the stored document, again until nobody wrote in between; undefined leaves it. */
  async #update<Document extends CatalogDocument>(
    id: string,
    next: (stored: Document | undefined) => Document | undefined,
  ): Promise<void> {
    for (;;) {
      const stored = await this.#storage.read<Document>(this.#stream, id);
      const document = next(stored?.document);
      if (document === undefined || (await this.#storage.write(document, stored?.etag)) === 'written') return;
    }
  }

  #qualified(name: string): string {
    return `qlik/${this.#stream}/${name}`;
  }
}

/** Values by name, for a while; a value that was not there is remembered too. */
class Remembered<Value> {
  readonly #entries = new Map<string, { readonly value: Value | undefined; readonly until: number }>();

  async get(name: string, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const entry = this.#entries.get(name);
    if (entry !== undefined && entry.until > Date.now()) return entry.value;
    const value = await read();
    this.set(name, value);
    return value;
  }

  set(name: string, value: Value | undefined): void {
    if (this.#entries.size >= MAX_REMEMBERED) this.#entries.clear();
    this.#entries.set(name, { value, until: Date.now() + REMEMBERED_MS });
  }

  forget(name: string): void {
    this.#entries.delete(name);
  }

  forgetMissing(): void {
    for (const [name, { value }] of this.#entries) if (value === undefined) this.#entries.delete(name);
  }
}

function byTableVersion(
  a: { readonly tableVersion: number | null },
  b: { readonly tableVersion: number | null },
): number {
  return (a.tableVersion ?? 0) - (b.tableVersion ?? 0);
}

/** Metadata that comes again, after a restart for instance, has another time and may come from another task. */
function isSameVersion(stored: TableVersion | undefined, version: TableVersion): boolean {
  return stored !== undefined && isSame({ ...stored, lineage: {} }, { ...version, lineage: {} });
}

/** Whether two values are the same JSON. */
function isSame(stored: object | undefined, value: object): boolean {
  return stored !== undefined && canonicalJson(toJson(stored)) === canonicalJson(toJson(value));
}

function toJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
