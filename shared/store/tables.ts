import type { Container } from '@azure/cosmos';
import type { RowDocument } from '../change/rowDocument.ts';
import { type Page, packContinuation, unpackContinuation } from '../ingest/page.ts';
import type { ChangeDocument } from './changes.ts';
import { withReadableValues } from './largeValues.ts';
import { Queries } from './queries.ts';
import type { ValueStore } from './valueStore.ts';

/** One table and what it holds. */
export interface TableNumbers {
  readonly table: string;
  readonly source: string;
  readonly stream: string;
  readonly rows: number;
  readonly tombstones: number;
}

/** What of a row a comparison needs. */
export type ComparedRow = Pick<RowDocument, 'id' | 'keys' | 'row' | 'deleted'>;

const TABLES_PER_PAGE = 50;
/** A page of rows ends here, however few they are: rows may have 2 MB each. */
const PAGE_BYTES = 4_000_000;

/** What operators look at: tables, rows, and the changes of a row, page by page. Every method throws StoreUnavailableError. */
export class TableQueries {
  readonly #rows: Queries;
  readonly #changes: Queries;
  readonly #values: ValueStore;

  constructor(rows: Container, changes: Container, values: ValueStore) {
    this.#rows = new Queries(rows);
    this.#changes = new Queries(changes);
    this.#values = values;
  }

  /** Tables by name. Throws ContinuationError too. */
  async tables(continuation: string | null): Promise<Page<TableNumbers>> {
    const after = continuation === null ? '' : String(unpackContinuation(continuation, ['string'])[0]);
    const query = `SELECT DISTINCT VALUE c.table FROM c WHERE c.table > @after ORDER BY c.table OFFSET 0 LIMIT ${TABLES_PER_PAGE}`;
    const names = await this.#rows.all<string>({ query, parameters: [{ name: '@after', value: after }] });
    const last = names.at(-1);
    return {
      items: await Promise.all(names.map((table) => this.#numbersOf(table))),
      continuation: last === undefined || names.length < TABLES_PER_PAGE ? null : packContinuation([last]),
    };
  }

  /** Rows of a table by id, tombstones included; large values stay pointers. Throws ContinuationError too. */
  async rowsOf(table: string, limit: number, continuation: string | null): Promise<Page<RowDocument>> {
    const after = continuation === null ? undefined : String(unpackContinuation(continuation, ['string'])[0]);
    const query =
      after === undefined
        ? { query: `SELECT * FROM c ORDER BY c.id OFFSET 0 LIMIT ${limit}` }
        : {
            query: `SELECT * FROM c WHERE c.id > @after ORDER BY c.id OFFSET 0 LIMIT ${limit}`,
            parameters: [{ name: '@after', value: after }],
          };
    const items: RowDocument[] = [];
    let bytes = 0;
    for await (const rows of this.#rows.pages<RowDocument>(query, [table])) {
      for (const row of rows) {
        if (bytes > PAGE_BYTES) break;
        items.push(plain(row));
        bytes += JSON.stringify(row).length;
      }
      if (bytes > PAGE_BYTES) break;
    }
    const last = items.at(-1);
    const isLast = items.length < limit && bytes <= PAGE_BYTES;
    return { items, continuation: last === undefined || isLast ? null : packContinuation([last.id]) };
  }

  /** The row with its large values read back, but for those that are gone; null when there is none. */
  async row(table: string, id: string): Promise<RowDocument | null> {
    const query = { query: 'SELECT * FROM c WHERE c.id = @id', parameters: [{ name: '@id', value: id }] };
    const [row] = await this.#rows.all<RowDocument>(query, [table, id]);
    return row === undefined ? null : withReadableValues(plain(row), this.#values);
  }

  /** The changes of a row, newest first; large values stay pointers. Throws ContinuationError too. */
  async changesOf(
    table: string,
    key: string,
    limit: number,
    continuation: string | null,
  ): Promise<Page<ChangeDocument>> {
    // Tokens hardly ever tie, but where they do, none of the changes may be left out: how many of the last were shown.
    const [token, shown] =
      continuation === null ? [undefined, 0] : unpackContinuation(continuation, ['string', 'number']);
    const where = token === undefined ? '' : 'WHERE c.token <= @token';
    const query = `SELECT * FROM c ${where} ORDER BY c.token DESC OFFSET ${Number(shown)} LIMIT ${limit}`;
    const parameters = token === undefined ? [] : [{ name: '@token', value: token }];
    const items = (await this.#changes.all<ChangeDocument>({ query, parameters }, [table, key])).map(plain);
    const last = items.at(-1);
    if (last === undefined || items.length < limit) return { items, continuation: null };
    const ties = items.filter((each) => each.token === last.token).length;
    const before = token === last.token ? Number(shown) : 0;
    return { items, continuation: packContinuation([last.token, before + ties]) };
  }

  /** Every row of a table, tombstones included; large values stay pointers. */
  everyRow(table: string): AsyncGenerator<readonly ComparedRow[]> {
    return this.#rows.pages<ComparedRow>({ query: 'SELECT c.id, c.keys, c.row, c.deleted FROM c' }, [table]);
  }

  async #numbersOf(table: string): Promise<TableNumbers> {
    const query = { query: 'SELECT c.deleted, COUNT(1) AS documents FROM c GROUP BY c.deleted' };
    const groups = await this.#rows.all<{ readonly deleted: boolean; readonly documents: number }>(query, [table]);
    const count = (deleted: boolean) => groups.find((group) => group.deleted === deleted)?.documents ?? 0;
    const [source = '', stream = ''] = table.split('/', 2);
    return { table, source, stream, rows: count(false), tombstones: count(true) };
  }
}

/** Without what the service adds to every document. */
function plain<Document extends object>(document: Document): Document {
  const own = Object.entries(document).filter(([name]) => !SYSTEM_PROPERTIES.has(name));
  return Object.fromEntries(own) as Document;
}

const SYSTEM_PROPERTIES = new Set(['_rid', '_self', '_etag', '_attachments', '_ts']);
