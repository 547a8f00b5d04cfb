import { arrivalAfter } from '../ingest/arrivalToken.ts';
import type { Kept } from '../ingest/parkedStore.ts';
import { inFlight } from './inFlight.ts';
import { hasSucceeded, OPERATIONS_PER_REQUEST, type OperationResult } from './operation.ts';
import type { Queries } from './queries.ts';
import type { Transactions } from './transactions.ts';

/** A document whose arrival decides its order. */
export interface Arriving {
  readonly id: string;
  /** See `arrival.ts`. The document gets a later one where it would stand before one that it follows. */
  readonly arrival: string;
}

/** Documents of one logical partition, in the order of their request. */
export interface ArrivingSequence<Document> {
  readonly partition: string;
  readonly documents: readonly Document[];
  /** An arrival that none of those that are new may be before. */
  readonly after?: string | undefined;
}

const EXISTS = 409;

/**
 * Creates documents so that in each logical partition their arrivals are in the order of the request, also where an earlier
 * attempt was cut off, or is under way still. One document is in before the next one is, many of them as one transaction:
 * so whatever a crash leaves is a beginning. One that is there already keeps its arrival, and what follows it gets a later
 * one; so whoever creates a document knows the arrival of the one before it.
 */
export class OrderedCreates<Document extends Arriving> {
  readonly #transactions: Transactions;
  readonly #queries: Queries;
  readonly #stored: (document: Document) => object;

  /** `stored`: a document as it is written. */
  constructor(transactions: Transactions, queries: Queries, stored: (document: Document) => object) {
    this.#transactions = transactions;
    this.#queries = queries;
    this.#stored = stored;
  }

  /** Tells of each sequence what became of its documents, in their order. Throws StoreUnavailableError. */
  async create(sequences: readonly ArrivingSequence<Document>[]): Promise<Kept[][]> {
    const queues = sequences.map((sequence) => new CreateQueue(sequence));
    for (;;) {
      const busy = queues.filter((queue) => !queue.isEmpty);
      if (busy.length === 0) return sequences.map(({ documents }, index) => queues[index]?.keptOf(documents) ?? []);
      await this.#round(busy);
    }
  }

  async #round(queues: readonly CreateQueue<Document>[]): Promise<void> {
    const parts = queues.map((queue) => queue.nextPart());
    const results = await this.#transactions.createBeginnings(
      parts.map((part, position) => part.map((document) => this.#operation(queues[position], document))),
    );
    const conflicts: { readonly queue: CreateQueue<Document>; readonly document: Document }[] = [];
    queues.forEach((queue, position) => {
      results[position]?.forEach((result, at) => {
        const document = parts[position]?.[at];
        if (document === undefined) return;
        if (result.status === EXISTS) conflicts.push({ queue, document });
        else queue.take(document, result);
      });
    });
    await inFlight(conflicts, ({ queue, document }) => this.#lookUp(queue, document));
  }

  #operation(queue: CreateQueue<Document> | undefined, document: Document) {
    const partitionKey = [queue?.partition ?? ''];
    return { type: 'Create' as const, partitionKey, id: document.id, document: this.#stored(document) };
  }

  /** After `conflicting` turned out to be there: all that are left may be. A request for each would take too long. */
  async #lookUp(queue: CreateQueue<Document>, conflicting: Document): Promise<void> {
    const parameters = queue.left.map(({ id }, index) => ({ name: `@id${index}`, value: id }));
    const ids = parameters.map(({ name }) => name).join(', ');
    const query = `SELECT c.id, c.arrival FROM c WHERE c.id IN (${ids}) AND IS_DEFINED(c.arrival)`;
    const found = await this.#queries.all<Arriving>({ query, parameters }, [queue.partition]);
    // Where it is there no more it has been settled meanwhile, and need not come again.
    queue.remember([conflicting, ...found]);
  }
}

/** The documents of one logical partition that are to be created, and what is known of them by now. */
class CreateQueue<Document extends Arriving> {
  readonly partition: string;
  readonly #documents: readonly Document[];
  readonly #known = new Map<string, string>();
  readonly #kept = new Map<string, Kept>();
  #next = 0;
  /** The newest arrival of those that have been taken. */
  #after: string;

  constructor({ partition, documents, after = '' }: ArrivingSequence<Document>) {
    this.partition = partition;
    // What stands there twice is there once, where it came first.
    const ids = new Set<string>();
    this.#documents = documents.filter(({ id }) => !ids.has(id) && ids.add(id));
    this.#after = after;
  }

  get isEmpty(): boolean {
    return this.#next === this.#documents.length;
  }

  get left(): readonly Document[] {
    return this.#documents.slice(this.#next);
  }

  /** The documents to create next, as they are if each of them is new. */
  nextPart(): readonly Document[] {
    const part: Document[] = [];
    let after = this.#after;
    for (const document of this.#documents.slice(this.#next, this.#next + OPERATIONS_PER_REQUEST)) {
      if (this.#known.has(document.id)) break;
      after = arrivalAfter(document.arrival, after);
      part.push(after === document.arrival ? document : { ...document, arrival: after });
    }
    return part;
  }

  /** Takes the first document off, as `result` says it is, and those after it that are known. */
  take({ id, arrival }: Document, { status }: OperationResult): void {
    this.#settle(id, hasSucceeded(status) ? { arrival } : { arrival, rejected: status });
    this.#takeKnown();
  }

  /** `found` is there; those that are known and come next are taken off. */
  remember(found: readonly Arriving[]): void {
    for (const { id, arrival } of found) this.#known.set(id, arrival);
    this.#takeKnown();
  }

  /** What became of `documents`. */
  keptOf(documents: readonly Document[]): Kept[] {
    return documents.map(({ id, arrival }) => this.#kept.get(id) ?? { arrival });
  }

  #takeKnown(): void {
    for (;;) {
      const id = this.#documents[this.#next]?.id;
      const arrival = id === undefined ? undefined : this.#known.get(id);
      if (id === undefined || arrival === undefined) return;
      this.#settle(id, { arrival });
    }
  }

  #settle(id: string, kept: Kept): void {
    this.#next++;
    this.#kept.set(id, kept);
    if (kept.arrival > this.#after) this.#after = kept.arrival;
  }
}
