import type { Container } from '@azure/cosmos';
import type { Source } from '../change/change.ts';
import type { MinuteCells } from '../ingest/minuteRing.ts';
import { StoreUnavailableError } from './errors.ts';
import type { Operations } from './operations.ts';
import { Queries } from './queries.ts';

/** A document of the container `cursors`: what one instance of the app has done for one stream since it started. */
export interface CounterDocument {
  readonly id: string;
  readonly kind: 'counters';
  readonly stream: string;
  readonly source: Source;
  readonly instance: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly counts: { readonly [name: string]: number };
  /** The last hour, minute by minute. */
  readonly minutes: MinuteCells;
  /** What the stream's point operations cost. */
  readonly requestUnits: number;
  /** How many of them the service refused for want of request units; they were tried again. */
  readonly throttled: number;
  /** Seconds between the newest batch's last event and its end; null where the source tells no time. */
  readonly lagSeconds: number | null;
  /** Only on the document that others are folded into: ids of those that it counts already and that may still be there. */
  readonly folding?: readonly string[];
}

export interface CounterVersion {
  readonly document: CounterDocument;
  readonly etag: string;
}

const NOT_FOUND = 404;
/** Created, deleted or written by someone else in between. */
const CONFLICTS = new Set([NOT_FOUND, 409, 412]);

/** The counters in the container `cursors`. */
export class CounterStore {
  readonly #queries: Queries;
  readonly #operations: Operations;

  constructor(container: Container, operations: Operations) {
    this.#queries = new Queries(container);
    this.#operations = operations;
  }

  /** Throws StoreUnavailableError. */
  async save(document: CounterDocument): Promise<void> {
    const { id } = document;
    const [result] = await this.#operations.run([{ type: 'Upsert', partitionKey: [id], id, document }]);
    if (result === undefined || result.status >= 300) {
      throw new StoreUnavailableError(`the counters could not be saved: status ${result?.status}`);
    }
  }

  /** The counters of every instance there was, each counted once. Throws StoreUnavailableError. */
  async all(): Promise<CounterDocument[]> {
    const documents = await this.#queries.all<CounterDocument>({ query: "SELECT * FROM c WHERE c.kind = 'counters'" });
    const folded = new Set(documents.flatMap(({ folding }) => folding ?? []));
    return documents.filter(({ id }) => !folded.has(id));
  }

  /** Undefined when there is none. Throws StoreUnavailableError. */
  async read(id: string): Promise<CounterVersion | undefined> {
    const [result] = await this.#operations.run([{ type: 'Read', partitionKey: [id], id }]);
    if (result?.status === NOT_FOUND) return undefined;
    if (result === undefined || result.status >= 300 || result.etag === undefined) {
      throw new StoreUnavailableError(`the counters could not be read: status ${result?.status}`);
    }
    return { document: result.document as CounterDocument, etag: result.etag };
  }

  /** Writes a document if it is still the version that was read; undefined: if there is none. Throws StoreUnavailableError. */
  async replace(document: CounterDocument, etag: string | undefined): Promise<'written' | 'conflict'> {
    const target = { partitionKey: [document.id], id: document.id, document };
    const [result] = await this.#operations.run([
      etag === undefined ? { type: 'Create', ...target } : { type: 'Replace', ...target, ifMatch: etag },
    ]);
    if (result !== undefined && result.status < 300) return 'written';
    if (result !== undefined && CONFLICTS.has(result.status)) return 'conflict';
    throw new StoreUnavailableError(`the counters could not be saved: status ${result?.status}`);
  }

  /** Throws StoreUnavailableError. */
  async remove(ids: readonly string[]): Promise<void> {
    const operations = ids.map((id) => ({ type: 'Delete' as const, partitionKey: [id], id }));
    const bad = (await this.#operations.run(operations)).find(({ status }) => status >= 300 && status !== NOT_FOUND);
    if (bad !== undefined) throw new StoreUnavailableError(`counters could not be removed: status ${bad.status}`);
  }
}
