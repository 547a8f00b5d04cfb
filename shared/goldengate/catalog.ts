import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../change/json.ts';
import { rowId } from '../change/keys.ts';
import type { CatalogDocument, CatalogStorage } from '../ingest/catalogStore.ts';
import { updateCatalog } from '../ingest/catalogUpdate.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { JsonObject } from './members.ts';
import type { MetadataColumn } from './record.ts';

/** One set of columns that a table has had. */
export interface TableVersion {
  readonly columns: readonly MetadataColumn[];
  readonly firstSeenAt: string;
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
  /** Empty before the first metadata. */
  readonly columns: readonly MetadataColumn[];
  readonly key: readonly string[];
  /** What the newest schema of the table's rows declares: column -> JSON type. It has the last word on types. */
  readonly types: { readonly [column: string]: string };
  /** Oldest first; the newest is what `columns` says. */
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
  readonly versions: readonly { readonly content: JsonObject; readonly firstSeenAt: string }[];
  readonly updatedAt: string;
}

const MAX_DDL = 20;
/** Far below what a document may have: the catalog is read with every request. Older versions go first. */
const MAX_VERSIONS_BYTES = 500_000;

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

  /** Makes a table's metadata durable. Throws StoreUnavailableError, and UnprocessableError for what is too large. */
  async recordTable(table: string, columns: readonly MetadataColumn[]): Promise<TableDocument | undefined> {
    const key = columns.filter((column) => column.key).map(({ name }) => name);
    return this.#updateTable(table, (stored) => {
      const isKnown = stored !== undefined && stored.versions.length > 0 && areEqual(stored.columns, columns);
      if (isKnown && !stored.stale) return undefined;
      const updatedAt = new Date().toISOString();
      const versions = isKnown
        ? stored.versions
        : withVersion(stored?.versions ?? [], { columns, firstSeenAt: updatedAt });
      return { ...(stored ?? this.#emptyTable(table)), columns, key, versions, stale: false, updatedAt };
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
      const versions = withVersion(stored?.versions ?? [], { content, firstSeenAt: updatedAt });
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

/**
 * `versions` and a new one, as many of them as may be kept. Throws UnprocessableError (`store-rejected`) if not even
 * that.
 */
function withVersion<Version extends object>(versions: readonly Version[], version: Version): readonly Version[] {
  let bytes = refuseTooLarge(version);
  const kept: Version[] = [version];
  for (const older of versions.toReversed()) {
    bytes += Buffer.byteLength(JSON.stringify(older));
    if (bytes > MAX_VERSIONS_BYTES) break;
    kept.unshift(older);
  }
  return kept;
}

/** Returns the size. Throws UnprocessableError (`store-rejected`). */
function refuseTooLarge(content: object): number {
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes <= MAX_VERSIONS_BYTES) return bytes;
  throw new UnprocessableError('store-rejected', `the catalog takes entries up to ${MAX_VERSIONS_BYTES} bytes`);
}

function areEqual(a: object, b: object): boolean {
  return canonicalJson(a as JsonValue) === canonicalJson(b as JsonValue);
}
