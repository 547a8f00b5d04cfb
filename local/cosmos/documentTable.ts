import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { EncodedKey } from './partitionKey.ts';

/** A stored document. `body` is its JSON text without system properties. */
export interface StoredDocument {
  /** Grows with every document ever created in the container. */
  readonly sequence: number;
  readonly etag: string;
  readonly writtenAtMs: number;
  readonly body: string;
}

export interface NewDocument {
  readonly key: EncodedKey;
  readonly id: string;
  readonly etag: string;
  readonly writtenAtMs: number;
  /** The document's own `ttl` in seconds. */
  readonly ttl: number | undefined;
  readonly expiresAtMs: number | null;
  readonly body: string;
}

/** A condition that SQLite can answer: the column holds one of these texts. */
export interface ColumnFilter {
  readonly column: 'k0' | 'k1' | 'k2' | 'id';
  readonly values: readonly string[];
}

/**
 * The documents of one container, in one SQLite table: key levels and id as indexed columns, the rest as text.
 * Expired documents are invisible to every method here; they are removed when something is written.
 */
export class DocumentTable {
  readonly #database: DatabaseSync;
  readonly #name: string;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #remove: StatementSync;
  readonly #purge: StatementSync;
  #nextSequence: number;

  constructor(database: DatabaseSync, name: string) {
    this.#database = database;
    this.#name = name;
    database.exec(`
      CREATE TABLE IF NOT EXISTS ${name} (
        sequence INTEGER PRIMARY KEY, k0 TEXT NOT NULL, k1 TEXT NOT NULL, k2 TEXT NOT NULL, id TEXT NOT NULL,
        etag TEXT NOT NULL, written INTEGER NOT NULL, ttl INTEGER, expires INTEGER, body TEXT NOT NULL) STRICT;
      CREATE UNIQUE INDEX IF NOT EXISTS ${name}_key ON ${name} (k0, k1, k2, id);
      CREATE INDEX IF NOT EXISTS ${name}_first ON ${name} (k0);
      CREATE INDEX IF NOT EXISTS ${name}_expires ON ${name} (expires) WHERE expires IS NOT NULL;`);
    this.#find = database.prepare(
      `SELECT sequence, etag, written, body FROM ${name}
       WHERE k0 = ? AND k1 = ? AND k2 = ? AND id = ? AND (expires IS NULL OR expires > ?)`,
    );
    this.#insert = database.prepare(
      `INSERT INTO ${name} (sequence, k0, k1, k2, id, etag, written, ttl, expires, body) VALUES (?,?,?,?,?,?,?,?,?,?)`,
    );
    this.#update = database.prepare(
      `UPDATE ${name} SET etag = ?, written = ?, ttl = ?, expires = ?, body = ? WHERE sequence = ?`,
    );
    this.#remove = database.prepare(`DELETE FROM ${name} WHERE sequence = ?`);
    this.#purge = database.prepare(`DELETE FROM ${name} WHERE expires <= ?`);
    const last = database.prepare(`SELECT max(sequence) AS last FROM ${name}`).get();
    this.#nextSequence = (typeof last?.last === 'number' ? last.last : 0) + 1;
  }

  find(key: EncodedKey, id: string, nowMs: number): StoredDocument | undefined {
    const row = this.#find.get(...levels(key), id, nowMs);
    return row === undefined ? undefined : documentOf(row);
  }

  insert(document: NewDocument): StoredDocument {
    // An expired document must not stand in the way of its successor; without one this costs an empty index look-up.
    this.#purge.run(document.writtenAtMs);
    const sequence = this.#nextSequence++;
    const { etag, writtenAtMs, body } = document;
    const ttl = document.ttl ?? null;
    const row = [sequence, ...levels(document.key), document.id, etag, writtenAtMs, ttl, document.expiresAtMs, body];
    this.#insert.run(...row);
    return { sequence, etag, writtenAtMs, body };
  }

  replace(sequence: number, document: NewDocument): StoredDocument {
    const { etag, writtenAtMs, body } = document;
    this.#update.run(etag, writtenAtMs, document.ttl ?? null, document.expiresAtMs, body, sequence);
    return { sequence, etag, writtenAtMs, body };
  }

  remove(sequence: number): void {
    this.#remove.run(sequence);
  }

  /** Documents in the order of their creation, after a sequence number. */
  *scan(filters: readonly ColumnFilter[], afterSequence: number, nowMs: number): Generator<StoredDocument> {
    const { where, values } = condition(filters);
    const statement = this.#database.prepare(
      `SELECT sequence, etag, written, body FROM ${this.#name}
       WHERE ${where} sequence > ? AND (expires IS NULL OR expires > ?) ORDER BY sequence`,
    );
    for (const row of statement.iterate(...values, afterSequence, nowMs)) yield documentOf(row);
  }

  count(filters: readonly ColumnFilter[], nowMs: number): number {
    const { where, values } = condition(filters);
    const statement = this.#database.prepare(
      `SELECT count(*) AS documents FROM ${this.#name} WHERE ${where} (expires IS NULL OR expires > ?)`,
    );
    return integer(statement.get(...values, nowMs)?.documents);
  }

  /** Recomputes every expiry after the container's `defaultTtl` changed. `undefined` switches time to live off. */
  changeDefaultTtl(defaultTtl: number | undefined): void {
    if (defaultTtl === undefined) this.#database.exec(`UPDATE ${this.#name} SET expires = NULL`);
    else {
      this.#database
        .prepare(
          `UPDATE ${this.#name} SET expires =
           CASE coalesce(ttl, ?1) WHEN -1 THEN NULL ELSE written + coalesce(ttl, ?1) * 1000 END`,
        )
        .run(defaultTtl);
    }
  }

  drop(): void {
    this.#database.exec(`DROP TABLE ${this.#name}`);
  }
}

/** Keys have one to three levels; the columns of unused ones hold the empty text. */
function levels(key: EncodedKey): string[] {
  return [key[0] ?? '', key[1] ?? '', key[2] ?? ''];
}

function condition(filters: readonly ColumnFilter[]): { where: string; values: SQLInputValue[] } {
  const clauses = filters.map(({ column, values }) => `${column} IN (${values.map(() => '?').join(',')}) AND`);
  return { where: clauses.join(' '), values: filters.flatMap((filter) => filter.values) };
}

function documentOf(row: Record<string, SQLOutputValue>): StoredDocument {
  const { etag, body } = row;
  if (typeof etag !== 'string' || typeof body !== 'string') throw new TypeError('A stored document is damaged.');
  return { sequence: integer(row.sequence), etag, writtenAtMs: integer(row.written), body };
}

function integer(value: SQLOutputValue | undefined): number {
  if (typeof value !== 'number') throw new TypeError('A stored number is damaged.');
  return value;
}
