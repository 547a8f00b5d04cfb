import { DatabaseSync } from 'node:sqlite';
import { type ContainerDefinition, parseContainerDefinition } from './containerDefinition.ts';
import { DocumentTable } from './documentTable.ts';
import { badRequest, conflict, ownerNotFound } from './errors.ts';
import { newEtag } from './etag.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { checkName, databaseRid } from './resourceId.ts';
import { type Owner, ownerOf } from './systemProperties.ts';
import { Throttle } from './throttle.ts';

const SECOND_MS = 1000;

export interface Container {
  readonly owner: Owner;
  readonly documents: DocumentTable;
  readonly throttle: Throttle | undefined;
  definition: ContainerDefinition;
  etag: string;
  writtenAtMs: number;
}

export interface Database {
  readonly id: string;
  readonly number: number;
  readonly etag: string;
  readonly writtenAtMs: number;
  readonly containers: Map<string, Container>;
}

/** The databases and containers of the account, kept in memory and written through to SQLite. */
export class Catalog {
  readonly sqlite: DatabaseSync;
  readonly databases = new Map<string, Database>();
  readonly #unitsPerSecond: number | undefined;
  #nextNumber = 1;

  /** @param file a SQLite file, or `:memory:` */
  constructor(file: string, unitsPerSecond: number | undefined) {
    this.#unitsPerSecond = unitsPerSecond;
    this.sqlite = new DatabaseSync(file);
    this.sqlite.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS databases (number INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS containers (
        number INTEGER PRIMARY KEY, database INTEGER NOT NULL, body TEXT NOT NULL) STRICT;`);
    this.#load();
  }

  database(id: string): Database {
    const database = this.databases.get(id);
    if (database === undefined) throw ownerNotFound('database', id);
    return database;
  }

  container(databaseId: string, id: string): Container {
    const container = this.database(databaseId).containers.get(id);
    if (container === undefined) throw ownerNotFound('container', id);
    return container;
  }

  /** @throws {CosmosError} 400, or 409 where there is one of that name */
  createDatabase(body: JsonObject): Database {
    const id = checkName(body.id);
    if (this.databases.has(id)) throw conflict();
    const number = this.#nextNumber++;
    this.sqlite.prepare('INSERT INTO databases (number, id) VALUES (?, ?)').run(number, id);
    return this.#addDatabase(number, id);
  }

  deleteDatabase(id: string): void {
    const database = this.database(id);
    for (const name of [...database.containers.keys()]) this.deleteContainer(id, name);
    this.sqlite.prepare('DELETE FROM databases WHERE number = ?').run(database.number);
    this.databases.delete(id);
  }

  /** @throws {CosmosError} 400, or 409 where there is one of that name */
  createContainer(databaseId: string, body: JsonObject): Container {
    const database = this.database(databaseId);
    const definition = parseContainerDefinition(body);
    if (database.containers.has(definition.id)) throw conflict();
    const number = this.#nextNumber++;
    this.sqlite
      .prepare('INSERT INTO containers (number, database, body) VALUES (?, ?, ?)')
      .run(number, database.number, JSON.stringify(definition.body));
    return this.#addContainer(database, number, definition);
  }

  /** @throws {CosmosError} 400 where the name or the partition key would change */
  replaceContainer(databaseId: string, id: string, body: JsonObject): Container {
    const container = this.container(databaseId, id);
    const definition = parseContainerDefinition(body);
    if (definition.id !== id) throw badRequest('The id of a container cannot be changed.');
    if (JSON.stringify(definition.keyPaths) !== JSON.stringify(container.definition.keyPaths)) {
      throw badRequest('The partition key definition of a container cannot be changed.');
    }
    if (definition.defaultTtl !== container.definition.defaultTtl) {
      container.documents.changeDefaultTtl(definition.defaultTtl);
    }
    this.sqlite
      .prepare('UPDATE containers SET body = ? WHERE number = ?')
      .run(JSON.stringify(definition.body), container.owner.container);
    container.definition = definition;
    container.etag = newEtag();
    container.writtenAtMs = Date.now();
    return container;
  }

  deleteContainer(databaseId: string, id: string): void {
    const container = this.container(databaseId, id);
    container.documents.drop();
    this.sqlite.prepare('DELETE FROM containers WHERE number = ?').run(container.owner.container);
    this.database(databaseId).containers.delete(id);
  }

  close(): void {
    this.sqlite.close();
  }

  #load(): void {
    const byNumber = new Map<number, Database>();
    for (const { number, id } of this.sqlite.prepare('SELECT number, id FROM databases ORDER BY number').iterate()) {
      if (typeof number !== 'number' || typeof id !== 'string') continue;
      byNumber.set(number, this.#addDatabase(number, id));
      this.#nextNumber = Math.max(this.#nextNumber, number + 1);
    }
    const containers = this.sqlite.prepare('SELECT number, database, body FROM containers ORDER BY number');
    for (const { number, database, body } of containers.all()) {
      const owner = typeof database === 'number' ? byNumber.get(database) : undefined;
      if (typeof number !== 'number' || typeof body !== 'string' || owner === undefined) continue;
      const definition: unknown = JSON.parse(body);
      if (isJsonObject(definition)) this.#addContainer(owner, number, parseContainerDefinition(definition));
      this.#nextNumber = Math.max(this.#nextNumber, number + 1);
    }
  }

  #addDatabase(number: number, id: string): Database {
    const database = { id, number, etag: newEtag(), writtenAtMs: Date.now(), containers: new Map() };
    this.databases.set(id, database);
    return database;
  }

  #addContainer(database: Database, number: number, definition: ContainerDefinition): Container {
    const container: Container = {
      owner: ownerOf(database.number, number),
      documents: new DocumentTable(this.sqlite, `documents_${number}`),
      throttle: this.#unitsPerSecond === undefined ? undefined : new Throttle(this.#unitsPerSecond),
      definition,
      etag: newEtag(),
      writtenAtMs: Date.now(),
    };
    database.containers.set(definition.id, container);
    return container;
  }
}

/** A database as clients read it. */
export function describeDatabase(database: Database): JsonObject {
  const rid = databaseRid(database.number);
  return {
    id: database.id,
    _rid: rid,
    _self: `dbs/${rid}/`,
    _etag: database.etag,
    _colls: 'colls/',
    _users: 'users/',
    _ts: Math.floor(database.writtenAtMs / SECOND_MS),
  };
}

/** A container as clients read it. */
export function describeContainer(container: Container): JsonObject {
  return {
    ...container.definition.body,
    _rid: container.owner.rid,
    _self: container.owner.link,
    _etag: container.etag,
    _docs: 'docs/',
    _sprocs: 'sprocs/',
    _triggers: 'triggers/',
    _udfs: 'udfs/',
    _conflicts: 'conflicts/',
    _ts: Math.floor(container.writtenAtMs / SECOND_MS),
  };
}
