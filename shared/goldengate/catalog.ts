import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../change/json.ts';
import { rowId } from '../change/keys.ts';
import type { CatalogDocument, CatalogStorage } from '../ingest/catalogStore.ts';
import { updateCatalog } from '../ingest/catalogUpdate.ts';
import { refuseTooLarge, type Version, withVersion } from './catalogVersions.ts';
import { inKnownKeyOrder, isSameColumns } from './keyOrder.ts';
import type { JsonObject } from './members.ts';
import type { MetadataColumn } from './record.ts';

/** One set of columns that a table has had. */
export interface TableVersion extends Version {
  readonly columns: readonly MetadataColumn[];
}

/** A statement that changed a table. */
export interface SeenDdl {
  /** Hash of the change's identity. */
  readonly id: string;
  /** When it was done, where the source tells. */
  readonly at: string | null;
}

/** The `catalog` document of a table: what its newest metadata says, and what older ones said. */
export interface TableDocument extends CatalogDocument {
  readonly kind: 'table';
  readonly source: 'goldengate';
  readonly table: string;
  /** Empty before the first metadata. Those of the key are in the order that its ids have. */
  readonly columns: readonly MetadataColumn[];
  readonly key: readonly string[];
  /** What the newest schema of the table's rows declares: column -> JSON type. It has the last word on types. */
  readonly types: { readonly [column: string]: string };
  /** Each once, in the order in which they came last; the newest is what `columns` says. */
  readonly versions: readonly TableVersion[];
  /** Whether a statement has changed the table since its newest metadata, which is used until fresh metadata comes. */
  readonly stale: boolean;
  /** The latest statements, oldest first. */
  readonly ddl: readonly SeenDdl[];
  readonly updatedAt: string;
}

/** The `catalog` document of a schema or of a stream's metadata: the newest content, and older ones. */
export interface ContentDocument extends CatalogDocument {
  readonly kind: 'schema' | 'stream';
  readonly source: 'goldengate';
  readonly name: string;
  readonly content: JsonObject;
  readonly versions: readonly (Version & { readonly content: JsonObject })[];
  readonly updatedAt: string;
}

const MAX_DDL = 20;

/** What a GoldenGate stream tells about itself and its tables, kept in the container `catalog`. */
export class GoldenGateCatalog {
  readonly #storage: CatalogStorage;
  readonly #stream: string;

  constructor(storage: CatalogStorage, stream: string) {
    this.#storage = storage;
    this.#stream = stream;
  }

  /** The table as it stands in the store now. Throws StoreUnavailableError. */
  async table(table: string): Promise<TableDocument | undefined> {
    return (await this.#storage.read<TableDocument>(this.#stream, tableDocumentId(table)))?.document;
  }

  /**
   * Makes a table's metadata durable. What is known already, in whatever order its columns stand, changes nothing. Throws
   * StoreUnavailableError, and UnprocessableError for what is too large.
   */
  async recordTable(table: string, sent: readonly MetadataColumn[]): Promise<TableDocument | undefined> {
    return this.#updateTable(table, (stored) => {
      const isKnown = stored !== undefined && stored.versions.length > 0 && isSameColumns(stored.columns, sent);
      if (isKnown && !stored.stale) return undefined;
      const updatedAt = new Date().toISOString();
      if (isKnown) return { ...stored, stale: false, updatedAt };
      const base = stored ?? this.#emptyTable(table);
      const columns = inKnownKeyOrder(sent, [...base.versions, base]);
      const key = columns.filter((column) => column.key).map(({ name }) => name);
      const version = { columns, firstSeenAt: updatedAt };
      const versions = withVersion(base.versions, version, (each) => isSameColumns(each.columns, columns));
      return { ...base, columns, key, versions, stale: false, updatedAt };
    });
  }

  /** Makes the types of a table's schema durable. Throws StoreUnavailableError, and UnprocessableError for too many. */
  async recordTypes(table: string, types: TableDocument['types']): Promise<TableDocument | undefined> {
    return this.#updateTable(table, (stored) => {
      if (stored !== undefined && areEqual(stored.types, types)) return undefined;
      refuseTooLarge(types);
      return { ...(stored ?? this.#emptyTable(table)), types, updatedAt: new Date().toISOString() };
    });
  }

  /**
   * Notes that a statement has changed the table, once: a statement that comes again after fresh metadata has come says
   * nothing new. Throws StoreUnavailableError.
   */
  async recordDdl(table: string, identity: string, at: string | null): Promise<TableDocument | undefined> {
    const id = createHash('sha256').update(identity).digest('base64url');
    return this.#updateTable(table, (stored) => {
      if (stored?.ddl.some((each) => each.id === id)) return undefined;
      const ddl = [...(stored?.ddl ?? []), { id, at }].slice(-MAX_DDL);
      return { ...(stored ?? this.#emptyTable(table)), ddl, stale: true, updatedAt: new Date().toISOString() };
    });
  }

  /** Throws StoreUnavailableError, and UnprocessableError for a schema that is too large. */
  async recordSchema(name: string, schema: JsonObject): Promise<void> {
    await this.#recordContent('schema', name, schema);
  }

  /** Throws StoreUnavailableError, and UnprocessableError for metadata that is too large. */
  async recordStream(metadata: JsonObject): Promise<void> {
    await this.#recordContent('stream', this.#stream, metadata);
  }

  async #recordContent(kind: ContentDocument['kind'], name: string, content: JsonObject): Promise<void> {
    const id = `goldengate:${kind}:${rowId([name])}`;
    await updateCatalog<ContentDocument>(this.#storage, this.#stream, id, (stored) => {
      if (stored !== undefined && areEqual(stored.content, content)) return undefined;
      const updatedAt = new Date().toISOString();
      const version = { content, firstSeenAt: updatedAt };
      const versions = withVersion(stored?.versions ?? [], version, (each) => areEqual(each.content, content));
      return { id, stream: this.#stream, kind, source: 'goldengate', name, content, versions, updatedAt };
    });
  }

  #updateTable(table: string, change: (stored: TableDocument | undefined) => TableDocument | undefined) {
    return updateCatalog<TableDocument>(this.#storage, this.#stream, tableDocumentId(table), change);
  }

  #emptyTable(table: string): TableDocument {
    return {
      id: tableDocumentId(table),
      stream: this.#stream,
      kind: 'table',
      source: 'goldengate',
      table,
      columns: [],
      key: [],
      types: {},
      versions: [],
      stale: false,
      ddl: [],
      updatedAt: '',
    };
  }
}

function tableDocumentId(table: string): string {
  return `table:${rowId([table])}`;
}

function areEqual(a: object, b: object): boolean {
  return canonicalJson(a as JsonValue) === canonicalJson(b as JsonValue);
}
