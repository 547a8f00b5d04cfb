import type { Container } from '@azure/cosmos';
import type { Source } from '../change/change.ts';
import type { JsonValue } from '../change/json.ts';
import { type Page, packContinuation, unpackContinuation } from '../ingest/page.ts';
import type { DeadLetterReason } from '../ingest/reasons.ts';
import { conditionOf, type DeadLetterFilter, type DeadLetterOrder, orderClauseOf } from './deadLetterFilter.ts';
import { turnOf } from './deadLetterTurn.ts';
import { StoreUnavailableError } from './errors.ts';
import { withLargeValues } from './largeValues.ts';
import type { Operations } from './operations.ts';
import { OrderedCreates } from './orderedCreates.ts';
import { Queries } from './queries.ts';
import type { Transactions } from './transactions.ts';
import type { ValueStore } from './valueStore.ts';

/** One message of a record that came in several. */
export interface DeadLetterPiece {
  readonly position: { readonly [name: string]: JsonValue };
  readonly byteLength: number;
  readonly sha256: string;
  /** Base64. */
  readonly bytes: string;
}

/** A document of the container `deadletters`: a record that cannot be processed, its reason and its exact bytes. */
export interface DeadLetterDocument {
  readonly id: string;
  readonly stream: string;
  readonly source: Source;
  readonly reason: DeadLetterReason;
  readonly detail: string;
  /** Where the record stood in its stream: for one that came in pieces, the piece that came last. */
  readonly position: { readonly [name: string]: JsonValue };
  /** The record as it came, base64; empty for one that came in pieces. */
  readonly bytes: string;
  readonly byteLength: number;
  readonly pieces?: readonly DeadLetterPiece[];
  /** When it first came, where that decides its order: a replay reuses it. */
  readonly arrival?: string;
  readonly receivedAt: string;
  /** How often a replay has failed. */
  readonly tries: number;
  /** When the last of them did, ISO 8601. */
  readonly triedAt?: string;
}

type ArrivedDeadLetter = DeadLetterDocument & { readonly arrival: string };

/** A dead letter without its bytes: what a list shows. */
export type DeadLetterHeader = Omit<DeadLetterDocument, 'bytes' | 'pieces' | 'arrival'>;

/** A dead letter and the version that it is. */
export interface DeadLetterVersion {
  readonly document: DeadLetterDocument;
  readonly etag: string;
}

/** Names one dead letter. */
export interface DeadLetterAddress {
  readonly stream: string;
  readonly id: string;
}

const NOT_FOUND = 404;
const EXISTS = 409;
/** Created, deleted or written by someone else in between. */
const CONFLICTS = new Set([NOT_FOUND, EXISTS, 412]);
const MAX_ROUNDS = 50;
const HEADER = `c.id, c.stream, c.source, c.reason, c.detail, c.position, c.byteLength, c.receivedAt, c.tries,
  c.triedAt, c.place, c.turn`;

/**
 * `place` is the time of receipt made unique, `turn` what `turnOf` says: lists are in the order of one of them, and a page
 * begins where the one before ended.
 */
type Stored<Document> = Document & { readonly place: string; readonly turn: string };

/** The container `deadletters`. */
export class DeadLetterStore {
  readonly #operations: Operations;
  readonly #queries: Queries;
  readonly #creates: OrderedCreates<ArrivedDeadLetter>;
  readonly #values: ValueStore;

  constructor(container: Container, operations: Operations, transactions: Transactions, values: ValueStore) {
    this.#operations = operations;
    this.#queries = new Queries(container);
    this.#creates = new OrderedCreates<ArrivedDeadLetter>(transactions, this.#queries, placed);
    this.#values = values;
  }

  /**
   * Keeps `documents`; one that is there already stays as it was, so a record that comes again is kept once.
   * Throws StoreUnavailableError, also when the service refuses a document: what cannot be kept must not be acknowledged.
   */
  async keep(documents: readonly DeadLetterDocument[]): Promise<void> {
    const operations = documents.map((document) => ({
      type: 'Create' as const,
      partitionKey: [document.stream],
      id: document.id,
      document: placed(document),
    }));
    const results = await this.#operations.run(operations);
    const failed = results.find(({ status }) => status >= 300 && status !== EXISTS);
    if (failed !== undefined)
      throw new StoreUnavailableError(`a dead letter could not be kept: status ${failed.status}`);
  }

  /**
   * As `keep`, for records of one stream that come for the first time, or as if so, in their order. Those that have an arrival
   * get in one after another, and whatever a crash leaves is a beginning; each has an arrival after the one before it: its
   * own, or a later one where that one was there already. Returns these arrivals. Throws as `keep`.
   */
  async keepInOrder(documents: readonly DeadLetterDocument[]): Promise<readonly string[]> {
    const [first] = documents;
    if (first === undefined) return [];
    const arrived = documents.filter(hasArrival);
    await this.keep(documents.filter((document) => !hasArrival(document)));
    const [kept = []] = await this.#creates.create([{ partition: first.stream, documents: arrived }]);
    const failed = kept.find(({ rejected }) => rejected !== undefined);
    if (failed !== undefined)
      throw new StoreUnavailableError(`a dead letter could not be kept: status ${failed.rejected}`);
    return kept.map(({ arrival }) => arrival);
  }

  /**
   * Keeps `document`, or adds the pieces that the dead letter of this id does not have yet. Throws StoreUnavailableError.
   */
  async join(document: DeadLetterDocument): Promise<void> {
    const target = { partitionKey: [document.stream], id: document.id };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const [read] = await this.#operations.run([{ type: 'Read', ...target }]);
      const stored = read?.status === 200 ? (read.document as DeadLetterDocument) : undefined;
      // A write would only tell others that something new has come.
      if (stored !== undefined && hasAllOf(stored, document)) return;
      const [written] = await this.#operations.run([
        stored === undefined || read?.etag === undefined
          ? { type: 'Create', ...target, document: placed(document) }
          : { type: 'Replace', ...target, document: joined(stored, document), ifMatch: read.etag },
      ]);
      if (written !== undefined && written.status < 300) return;
      if (written === undefined || !CONFLICTS.has(written.status)) {
        throw new StoreUnavailableError(`a dead letter could not be kept: status ${written?.status}`);
      }
    }
    throw new StoreUnavailableError(`a dead letter was written by others ${MAX_ROUNDS} times in a row`);
  }

  /** The dead letter with all its bytes; undefined when there is none. Throws StoreUnavailableError. */
  async read({ stream, id }: DeadLetterAddress): Promise<DeadLetterVersion | undefined> {
    const [read] = await this.#operations.run([{ type: 'Read', partitionKey: [stream], id }]);
    if (read?.status === NOT_FOUND) return undefined;
    if (read === undefined || read.status >= 300 || read.etag === undefined) {
      throw new StoreUnavailableError(`a dead letter could not be read: status ${read?.status}`);
    }
    return { document: await withLargeValues(read.document as DeadLetterDocument, this.#values), etag: read.etag };
  }

  /** Writes `document` if it is still the version that was read. Throws StoreUnavailableError. */
  async replace(document: DeadLetterDocument, etag: string): Promise<'written' | 'conflict'> {
    const { stream, id } = document;
    return this.#conditionally({
      type: 'Replace',
      partitionKey: [stream],
      id,
      document: placed(document),
      ifMatch: etag,
    });
  }

  /** Removes a dead letter if it is still the version that was read. Throws StoreUnavailableError. */
  async remove({ stream, id }: DeadLetterAddress, etag: string): Promise<'written' | 'conflict'> {
    return this.#conditionally({ type: 'Delete', partitionKey: [stream], id, ifMatch: etag });
  }

  /** Removes dead letters, whatever version they are. Returns how many there were. Throws StoreUnavailableError. */
  async purge(addresses: readonly DeadLetterAddress[]): Promise<number> {
    const operations = addresses.map(({ stream, id }) => ({ type: 'Delete' as const, partitionKey: [stream], id }));
    const results = await this.#operations.run(operations);
    const bad = results.find(({ status }) => status >= 300 && status !== NOT_FOUND);
    if (bad !== undefined) throw new StoreUnavailableError(`a dead letter could not be deleted: status ${bad.status}`);
    return results.filter(({ status }) => status < 300).length;
  }

  /** Dead letters in an order, page by page. Throws StoreUnavailableError, ContinuationError. */
  async list(
    filter: DeadLetterFilter,
    { limit, continuation, order = 'newest' }: ListOptions,
  ): Promise<Page<DeadLetterHeader>> {
    const after = continuation === null ? undefined : String(unpackContinuation(continuation, ['string'])[0]);
    const { where, parameters } = conditionOf(filter, after === undefined ? undefined : { order, after });
    const query = `SELECT ${HEADER} FROM c ${where} ORDER BY ${orderClauseOf(order)} OFFSET 0 LIMIT ${limit}`;
    const found = await this.#queries.all<Stored<DeadLetterHeader>>({ query, parameters });
    const last = found.at(-1);
    return {
      items: found.map(({ place: _, turn: __, ...header }) => header),
      continuation:
        last === undefined || found.length < limit
          ? null
          : packContinuation([order === 'newest' ? last.place : last.turn]),
    };
  }

  /** Those of `addresses` that are there, in the order in which they came. Throws StoreUnavailableError. */
  async inTurn(addresses: readonly DeadLetterAddress[]): Promise<readonly DeadLetterTurn[]> {
    const found: DeadLetterTurn[] = [];
    for (const [stream, ids] of Map.groupBy(addresses, (address) => address.stream)) {
      const query = 'SELECT c.id, c.stream, c.turn FROM c WHERE c.stream = @stream AND ARRAY_CONTAINS(@ids, c.id)';
      const parameters = [
        { name: '@stream', value: stream },
        { name: '@ids', value: ids.map(({ id }) => id) },
      ];
      found.push(...(await this.#queries.all<DeadLetterTurn>({ query, parameters }, [stream])));
    }
    return found.sort((a, b) => (a.turn < b.turn ? -1 : 1));
  }

  /** How many there are, of those that stand after `continuation` in the order in which they came. Throws as `list`. */
  async count(filter: DeadLetterFilter, continuation: string | null = null): Promise<number> {
    const after = continuation === null ? undefined : String(unpackContinuation(continuation, ['string'])[0]);
    const { where, parameters } = conditionOf(filter, after === undefined ? undefined : { order: 'turn', after });
    const [count] = await this.#queries.all<number>({ query: `SELECT VALUE COUNT(1) FROM c ${where}`, parameters });
    return count ?? 0;
  }

  async #conditionally(operation: Parameters<Operations['run']>[0][number]): Promise<'written' | 'conflict'> {
    const [result] = await this.#operations.run([operation]);
    if (result !== undefined && result.status < 300) return 'written';
    if (result !== undefined && CONFLICTS.has(result.status)) return 'conflict';
    throw new StoreUnavailableError(`a dead letter could not be written: status ${result?.status}`);
  }
}

export interface ListOptions {
  /** At most this many. */
  readonly limit: number;
  readonly continuation: string | null;
  readonly order?: DeadLetterOrder;
}

/** A dead letter's address, and what `turnOf` says of it. */
export interface DeadLetterTurn extends DeadLetterAddress {
  readonly turn: string;
}

function placed(document: DeadLetterDocument): Stored<DeadLetterDocument> {
  return { ...document, place: `${document.receivedAt} ${document.id}`, turn: turnOf(document) };
}

function hasArrival(document: DeadLetterDocument): document is ArrivedDeadLetter {
  return document.arrival !== undefined;
}

function hasAllOf(stored: DeadLetterDocument, added: DeadLetterDocument): boolean {
  const known = new Set(stored.pieces?.map(({ sha256 }) => sha256));
  return (added.pieces ?? []).every(({ sha256 }) => known.has(sha256));
}

function joined(stored: DeadLetterDocument, added: DeadLetterDocument): DeadLetterDocument {
  const known = new Set(stored.pieces?.map(({ sha256 }) => sha256));
  const pieces = [...(stored.pieces ?? []), ...(added.pieces ?? []).filter(({ sha256 }) => !known.has(sha256))];
  return { ...stored, pieces, byteLength: pieces.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}
