/** A document of the container `catalog`: what a stream told about its tables and schemas. `kind` says which of that. */
export interface CatalogDocument {
  readonly id: string;
  readonly stream: string;
  readonly kind: string;
}

export interface CatalogVersion<Document extends CatalogDocument> {
  readonly document: Document;
  readonly etag: string;
}

/** Where sources keep what they learn. Every method throws StoreUnavailableError. */
export interface CatalogStorage {
  /** The caller knows the kind by the id. */
  read<Document extends CatalogDocument>(stream: string, id: string): Promise<CatalogVersion<Document> | undefined>;
  /** Writes a document if it is still the version that was read; undefined: if there is none. */
  write(document: CatalogDocument, etag: string | undefined): Promise<'written' | 'conflict'>;
}
