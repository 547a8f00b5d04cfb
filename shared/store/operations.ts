import { setTimeout as delay } from 'node:timers/promises';
import type { Container, OperationInput } from '@azure/cosmos';
import { isTooLarge, jsonBytes, MAX_DOCUMENT_BYTES } from './documentSize.ts';
import { StoreUnavailableError } from './errors.ts';
import { withoutLargeValues } from './largeValues.ts';
import { charge, type RequestMeter } from './requestMeter.ts';
import type { ValueStore } from './valueStore.ts';

/**
 * Many point operations in few requests. `items.bulk` answers each operation with its own status and has no floor of a
 * second as `executeBulkOperations` has; what it lacks, this file adds: chunks of the size that the service takes, and
 * a wait of the server's length for each operation that was throttled.
 */
export interface Operation {
  readonly type: 'Create' | 'Replace' | 'Upsert' | 'Read' | 'Delete';
  readonly partitionKey: readonly string[];
  readonly id: string;
  readonly document?: object;
  readonly ifMatch?: string;
}

export interface OperationResult {
  readonly status: number;
  readonly document?: unknown;
  readonly etag?: string;
}

/** The service takes at most this many operations in a request. */
const OPERATIONS_PER_REQUEST = 100;
const REQUESTS_IN_FLIGHT = 4;
/** Of the documents of one transaction, which the service ends at 2 MB and at 5 s. */
const BYTES_PER_TRANSACTION = 1_000_000;

const THROTTLED = 429;
const TOO_LARGE = 413;
const SUCCEEDED_BELOW = 300;
/** Of an operation whose transaction ended because of another one. */
const FAILED_DEPENDENCY = 424;
/** Statuses that say "again": too many requests, retry with, unavailable, gone (a partition moved), not this one's turn. */
const TRANSIENT = new Set([THROTTLED, 449, 503, 410, 408, FAILED_DEPENDENCY]);
/** Stands for no answer at all. */
const SENT_INTO_THE_VOID = 503;
/** Where the client says how often a request was throttled before it got through or was given up. */
const THROTTLINGS = 'x-ms-throttle-retry-count';
const LOST_CONNECTION = /ECONNRESET|EPIPE|socket hang up/;
const RETRY_BASE_MS = 20;
const RETRY_MAX_MS = 2_000;
/** Longer than this, and the batch comes again from its source. */
const PATIENCE_MS = 45_000;

/** The point operations of one container. */
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

  /**
   * Creates a beginning of each of `sequences`, whose operations are creates in one logical partition each. Whatever a crash
   * leaves is a beginning too: the documents of a request are one transaction. Results stand for the beginning: at least
   * one, and all but its last are successes; of those after it nothing is told. Throws StoreUnavailableError.
   */
  async createBeginnings(sequences: readonly (readonly Operation[])[]): Promise<OperationResult[][]> {
    const results: OperationResult[][] = sequences.map(() => []);
    const alone = [...sequences.keys()].filter((index) => sequences[index]?.length === 1);
    const others = [...sequences.entries()].filter(([, { length }]) => length > 1);
    const first = this.run(alone.flatMap((index) => sequences[index] ?? [])).then((each) => {
      for (const [position, index] of alone.entries()) results[index] = each.slice(position, position + 1);
    });
    const rest = inFlight(others, async ([index, sequence]) => {
      results[index] = await this.#createBeginning(sequence);
    });
    await Promise.all([first, rest]);
    return results;
  }

  /**
   * What fails for what it is ends the beginning, and those before it go again without it. Whatever else may be wrong with a
   * request of many, its first operation finds out alone, with all the patience of `run`: if the transaction got through
   * after all, that one is there already.
   */
  async #createBeginning(sequence: readonly Operation[]): Promise<OperationResult[]> {
    let count = countPerTransaction(sequence);
    let last: OperationResult[] = [];
    while (count > 1) {
      const responses = await this.#transact(sequence.slice(0, count));
      const failed = responses.findIndex(
        ({ statusCode }) => !hasSucceeded(statusCode) && statusCode !== FAILED_DEPENDENCY,
      );
      const failure = responses[failed];
      if (
        failure === undefined &&
        responses.length === count &&
        responses.every((each) => hasSucceeded(each.statusCode))
      ) {
        return [...responses.map(toResult), ...last];
      }
      if (failure === undefined || !isFinal(failure.statusCode)) return this.run(sequence.slice(0, 1));
      last = [toResult(failure)];
      count = failed;
    }
    if (count === 0) return last;
    const first = await this.run(sequence.slice(0, 1));
    return first.every(({ status }) => hasSucceeded(status)) ? [...first, ...last] : first;
  }

  /** One transaction; no responses where the request as a whole failed. */
  async #transact(creates: readonly Operation[]): Promise<readonly Response[]> {
    const inputs = creates.map((operation) => ({ operationType: 'Create' as const, resourceBody: body(operation) }));
    let responses: readonly Response[] = [];
    let headers: unknown;
    try {
      const options = { contentResponseOnWriteEnabled: false };
      const answer = await this.#container.items.batch(inputs, [...(creates[0]?.partitionKey ?? [])], options);
      responses = answer.result ?? [];
      headers = answer.headers;
    } catch (error) {
      headers = error instanceof Object && 'headers' in error ? error.headers : undefined;
    }
    // Unlike other requests of many, these the client sends again by itself when they are throttled.
    charge(this.#meter, { requestUnits: 0, throttled: creates.length * throttlingsIn(headers) });
    for (const { statusCode, requestCharge = 0 } of responses) {
      charge(this.#meter, { requestUnits: requestCharge, throttled: statusCode === THROTTLED ? 1 : 0 });
    }
    return responses;
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

interface Response {
  readonly statusCode: number;
  readonly requestCharge?: number;
  readonly retryAfterMilliseconds?: number;
  readonly eTag?: string;
  readonly resourceBody?: unknown;
}

async function send(
  container: Container,
  operations: readonly Operation[],
  indexes: readonly number[],
): Promise<readonly Response[]> {
  const inputs = indexes.flatMap((index) => {
    const operation = operations[index];
    return operation === undefined ? [] : [toInput(operation)];
  });
  let responses: readonly Response[];
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

function throttlingsIn(headers: unknown): number {
  if (!(headers instanceof Object) || !(THROTTLINGS in headers)) return 0;
  return Number(headers[THROTTLINGS]) || 0;
}

function hasSucceeded(status: number): boolean {
  return status < SUCCEEDED_BELOW;
}

/** Whether another attempt would be answered the same because of what the operation is. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 403 && !TRANSIENT.has(status);
}

/** How many of `sequence`, from its first, go into one transaction; one that is too large for any still counts. */
function countPerTransaction(sequence: readonly Operation[]): number {
  let bytes = 0;
  const most = Math.min(sequence.length, OPERATIONS_PER_REQUEST);
  for (let count = 0; count < most; count++) {
    bytes += jsonBytes(sequence[count]?.document);
    if (bytes > BYTES_PER_TRANSACTION) return Math.max(1, count);
  }
  return most;
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
      return { operationType: 'Replace', id, partitionKey, resourceBody: body(operation), ...condition };
    case 'Create':
    case 'Upsert':
      return { operationType: operation.type, partitionKey, resourceBody: body(operation), ...condition };
  }
}

type Body = Extract<OperationInput, { operationType: 'Replace' }>['resourceBody'];

function body(operation: Operation): Body {
  return operation.document as Body;
}

function toResult(response: Response): OperationResult {
  return {
    status: response.statusCode,
    ...(response.resourceBody === undefined ? {} : { document: response.resourceBody }),
    ...(response.eTag === undefined ? {} : { etag: response.eTag }),
  };
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

async function inFlight<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(REQUESTS_IN_FLIGHT, items.length) }, worker));
}
