import type { Container } from '@azure/cosmos';
import type { Source } from '../change/change.ts';
import type { JsonValue } from '../change/json.ts';
import type { DeadLetterReason } from '../ingest/reasons.ts';
import { StoreUnavailableError } from './errors.ts';
import { runOperations } from './operations.ts';
import type { RequestMeter } from './requestMeter.ts';

/** A document of the container `deadletters`: a record that cannot be processed, its reason and its exact bytes. */
export interface DeadLetterDocument {
  readonly id: string;
  readonly stream: string;
  readonly source: Source;
  readonly reason: DeadLetterReason;
  readonly detail: string;
  /** Where the record stood in its stream. */
  readonly position: { readonly [name: string]: JsonValue };
  /** The record as it came, base64. */
  readonly bytes: string;
  readonly byteLength: number;
  readonly receivedAt: string;
  /** How often a replay has failed. */
  readonly tries: number;
}

const EXISTS = 409;

/** The container `deadletters`. */
export class DeadLetterStore {
  readonly #container: Container;
  readonly #meter: RequestMeter;

  constructor(container: Container, meter: RequestMeter) {
    this.#container = container;
    this.#meter = meter;
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
    const results = await runOperations(this.#container, operations, this.#meter);
    const failed = results.find(({ status }) => status >= 300 && status !== EXISTS);
    if (failed !== undefined)
      throw new StoreUnavailableError(`a dead letter could not be kept: status ${failed.status}`);
  }
}
