import type { StoredDocument } from './documentTable.ts';
import type { JsonObject } from './json.ts';
import { containerRid, databaseRid, documentRid } from './resourceId.ts';

const NAMES = ['_rid', '_self', '_etag', '_attachments', '_ts'];
const SECOND_MS = 1000;

/** What a container's documents say about where they are. */
export interface Owner {
  readonly database: number;
  readonly container: number;
  /** The container's internal id. */
  readonly rid: string;
  /** The container's own link, made of internal ids. */
  readonly link: string;
}

export function ownerOf(database: number, container: number): Owner {
  const rid = containerRid(database, container);
  return { database, container, rid, link: `dbs/${databaseRid(database)}/colls/${rid}/` };
}

/** What a client sends of these is ignored: a document that was read can be written back. */
export function removeSystemProperties(document: JsonObject): void {
  for (const name of NAMES) delete document[name];
}

function systemProperties(owner: Owner, stored: StoredDocument): JsonObject {
  const rid = documentRid(owner.database, owner.container, stored.sequence);
  return {
    _rid: rid,
    _self: `${owner.link}docs/${rid}/`,
    _etag: stored.etag,
    _attachments: 'attachments/',
    _ts: Math.floor(stored.writtenAtMs / SECOND_MS),
  };
}

/** The document's text as clients read it; the stored text is not parsed for it. */
export function documentText(owner: Owner, stored: StoredDocument): string {
  const system = JSON.stringify(systemProperties(owner, stored));
  return stored.body === '{}' ? system : `${stored.body.slice(0, -1)},${system.slice(1)}`;
}

/** The document as queries see it. */
export function documentValue(owner: Owner, stored: StoredDocument): JsonObject {
  return Object.assign(JSON.parse(stored.body), systemProperties(owner, stored));
}
