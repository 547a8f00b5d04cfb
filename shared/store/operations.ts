import { setTimeout as delay } from 'node:timers/promises';
import type { Container, OperationInput } from '@azure/cosmos';
import { isTooLarge, MAX_DOCUMENT_BYTES } from './documentSize.ts';
import { StoreUnavailableError } from './errors.ts';
import { inFlight } from './inFlight.ts';
import { withoutLargeValues } from './largeValues.ts';
import {
  bodyOf,
  OPERATIONS_PER_REQUEST,
  type Operation,
  type OperationResponse,
  type OperationResult,
  THROTTLED,
  TRANSIENT,
  toResult,
} from './operation.ts';
import { charge, type RequestMeter } from './requestMeter.ts';
import type { ValueStore } from './valueStore.ts';

const TOO_LARGE = 413;
/** Stands for no answer at all. */
const SENT_INTO_THE_VOID = 503;
const LOST_CONNECTION = /ECONNRESET|EPIPE|socket hang up/;
const RETRY_BASE_MS = 20;
const RETRY_MAX_MS = 2_000;
/** Longer than this, and the batch comes again from its source. */
const PATIENCE_MS = 45_000;

/**
 * The point operations of one container: many of them in few requests. `items.bulk` answers each operation with its own
 * status and has no floor of a second as `executeBulkOperations` has; what it lacks, this file adds: chunks of the size
 * that the service takes, and a wait of the server's length for each operation that was throttled.
 */
export class Operations {
  readonly #container: Container;
  readonly #meter: RequestMeter;
  readonly #values: ValueStore;
  readonly #maxDocumentBytes: number;

  /** Documents over `maxDocumentBytes` are written without their largest values, which move to `values`. */
  constructor(container: Container, meter: RequestMeter, values: ValueStore, maxDocumentBytes = MAX_DOCUMENT_BYTES) {
    this.#container = container;
    this.#meter = meter;
    this.#values = values;
    this.#maxDocumentBytes = maxDocumentBytes;
  }

  /**
   * Runs `operations`, in any order and without atomicity. Results stand in the order of the operations. 404, 409, 412,
   * 413 and 400 are results; throws StoreUnavailableError for whatever a retry by the caller might cure.
   */
  async run(operations: readonly Operation[]): Promise<OperationResult[]> {
    const results = new Array<OperationResult>(operations.length);
    const fitting = await this.#fit(operations);
    let pending: number[] = [];
    fitting.forEach(({ document }, index) => {
      // Sent along, it would fail the whole request and its neighbours with it.
      if (document !== undefined && isTooLarge(document)) results[index] = { status: TOO_LARGE };
      else pending.push(index);
    });
    const deadline = Date.now() + PATIENCE_MS;
    for (let attempt = 0; pending.length > 0; attempt++) {
      const { again, serverDelayMs } = await this.#attempt(fitting, pending, results);
      if (again.length === 0) break;
      const waitMs = Math.max(serverDelayMs, backoffMs(attempt));
      if (Date.now() + waitMs > deadline) {
        throw new StoreUnavailableError(
          `${again.length} operations on ${this.#container.id} were refused for ${PATIENCE_MS} ms`,
        );
      }
      await delay(waitMs);
      pending = again;
    }
    return results;
  }

  /** Sends `pending` once, notes the results, and returns what has to be sent again. */
  async #attempt(operations: readonly Operation[], pending: readonly number[], results: OperationResult[]) {
    const again: number[] = [];
    let serverDelayMs = 0;
    await forEachChunk(pending, async (indexes) => {
      const responses = await send(this.#container, operations, indexes);
      responses.forEach((response, position) => {
        const index = indexes[position];
        if (index === undefined) return;
        const throttled = response.statusCode === THROTTLED ? 1 : 0;
        charge(this.#meter, { requestUnits: response.requestCharge ?? 0, throttled });
        if (TRANSIENT.has(response.statusCode)) {
          serverDelayMs = Math.max(serverDelayMs, response.retryAfterMilliseconds ?? 0);
          again.push(index);
        } else {
          results[index] = toResult(response);
        }
      });
    });
    return { again, serverDelayMs };
  }

  async #fit(operations: readonly Operation[]): Promise<readonly Operation[]> {
    const isLarge = ({ document }: Operation) => document !== undefined && isTooLarge(document, this.#maxDocumentBytes);
    if (!operations.some(isLarge)) return operations;
    return Promise.all(
      operations.map(async (operation) => {
        if (operation.document === undefined) return operation;
        return {
          ...operation,
          document: await withoutLargeValues(operation.document, this.#values, this.#maxDocumentBytes),
        };
      }),
    );
  }
}

/** Exponential with full jitter, so that instances that were refused together do not come back together. */
export function backoffMs(attempt: number): number {
  return Math.random() * Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** attempt);
}

async function send(
  container: Container,
  operations: readonly Operation[],
  indexes: readonly number[],
): Promise<readonly OperationResponse[]> {
  const inputs = indexes.flatMap((index) => {
    const operation = operations[index];
    return operation === undefined ? [] : [toInput(operation)];
  });
  let responses: readonly OperationResponse[];
  try {
    // What was written need not come back; what was read must.
    const contentResponseOnWriteEnabled = inputs.some(({ operationType }) => operationType === 'Read');
    responses = await container.items.bulk(inputs, { continueOnError: true }, { contentResponseOnWriteEnabled });
  } catch (error) {
    if (isLostConnection(error)) return inputs.map(() => ({ statusCode: SENT_INTO_THE_VOID }));
    throw new StoreUnavailableError(`${inputs.length} operations on ${container.id} failed`, { cause: error });
  }
  const fatal = responses.find(({ statusCode }) => statusCode === 401 || statusCode === 403 || statusCode >= 500);
  if (fatal !== undefined && !TRANSIENT.has(fatal.statusCode)) {
    throw new StoreUnavailableError(`${container.id} answered ${fatal.statusCode}`);
  }
  return responses;
}

/**
 * A kept-alive connection that the service closed just as it was used again. Nobody knows whether the operations got
 * through, and sending them again is safe: what was created answers 409, what was replaced 412. The client wraps the
 * error and keeps only its message.
 */
function isLostConnection(error: unknown): boolean {
  return error instanceof Error && LOST_CONNECTION.test(error.message);
}

function toInput(operation: Operation): OperationInput {
  const { id, ifMatch } = operation;
  const partitionKey = [...operation.partitionKey];
  const condition = ifMatch === undefined ? {} : { ifMatch };
  switch (operation.type) {
    case 'Read':
    case 'Delete':
      return { operationType: operation.type, id, partitionKey, ...condition };
    case 'Replace':
      return { operationType: 'Replace', id, partitionKey, resourceBody: bodyOf(operation), ...condition };
    case 'Create':
    case 'Upsert':
      return { operationType: operation.type, partitionKey, resourceBody: bodyOf(operation), ...condition };
  }
}

async function forEachChunk(
  indexes: readonly number[],
  run: (chunk: readonly number[]) => Promise<void>,
): Promise<void> {
  const chunks: (readonly number[])[] = [];
  for (let start = 0; start < indexes.length; start += OPERATIONS_PER_REQUEST) {
    chunks.push(indexes.slice(start, start + OPERATIONS_PER_REQUEST));
  }
  await inFlight(chunks, run);
}
