import type { Source } from '../change/change.ts';
import type { JsonValue } from '../change/json.ts';
import type { DeadLetterReason } from '../ingest/reasons.ts';
import { StoreUnavailableError } from './errors.ts';
import type { Operations } from './operations.ts';

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
  readonly receivedAt: string;
  /** How often a replay has failed. */
  readonly tries: number;
}

const NOT_FOUND = 404;
const EXISTS = 409;
/** Created, deleted or written by someone else in between. */
const CONFLICTS = new Set([NOT_FOUND, EXISTS, 412]);
const MAX_ROUNDS = 50;

/** The container `deadletters`. */
export class DeadLetterStore {
  readonly #operations: Operations;

  constructor(operations: Operations) {
    this.#operations = operations;
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
      document,
    }));
    const results = await this.#operations.run(operations);
    const failed = results.find(({ status }) => status >= 300 && status !== EXISTS);
    if (failed !== undefined)
      throw new StoreUnavailableError(`a dead letter could not be kept: status ${failed.status}`);
  }

  /**
   * Keeps `document`, or adds the pieces that the dead letter of this id does not have yet. Throws StoreUnavailableError.
   */
  async join(document: DeadLetterDocument): Promise<void> {
    const target = { partitionKey: [document.stream], id: document.id };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const [read] = await this.#operations.run([{ type: 'Read', ...target }]);
      const stored = read?.status === 200 ? (read.document as DeadLetterDocument) : undefined;
      const [written] = await this.#operations.run([
        stored === undefined || read?.etag === undefined
          ? { type: 'Create', ...target, document }
          : { type: 'Replace', ...target, document: joined(stored, document), ifMatch: read.etag },
      ]);
      if (written !== undefined && written.status < 300) return;
      if (written === undefined || !CONFLICTS.has(written.status)) {
        throw new StoreUnavailableError(`a dead letter could not be kept: status ${written?.status}`);
      }
    }
    throw new StoreUnavailableError(`a dead letter was written by others ${MAX_ROUNDS} times in a row`);
  }
}

function joined(stored: DeadLetterDocument, added: DeadLetterDocument): DeadLetterDocument {
  const known = new Set(stored.pieces?.map(({ sha256 }) => sha256));
  const pieces = [...(stored.pieces ?? []), ...(added.pieces ?? []).filter(({ sha256 }) => !known.has(sha256))];
  return { ...stored, pieces, byteLength: pieces.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}
