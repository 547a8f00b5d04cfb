import type { Container } from '@azure/cosmos';
import { jsonBytes } from './documentSize.ts';
import { inFlight } from './inFlight.ts';
import {
  bodyOf,
  FAILED_DEPENDENCY,
  hasSucceeded,
  isFinal,
  OPERATIONS_PER_REQUEST,
  type Operation,
  type OperationResponse,
  type OperationResult,
  THROTTLED,
  toResult,
} from './operation.ts';
import type { Operations } from './operations.ts';
import { charge, type RequestMeter } from './requestMeter.ts';

/** Of the documents of one transaction, which the service ends at 2 MB and at 5 s. */
const BYTES_PER_TRANSACTION = 1_000_000;
/** Where the client says how often a request was throttled before it got through or was given up. */
const THROTTLINGS = 'x-ms-throttle-retry-count';

/** Transactions on one container: creates of one logical partition that get in together or not at all. */
export class Transactions {
  readonly #container: Container;
  readonly #operations: Operations;
  readonly #meter: RequestMeter;

  constructor(container: Container, operations: Operations, meter: RequestMeter) {
    this.#container = container;
    this.#operations = operations;
    this.#meter = meter;
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
    const first = this.#operations.run(alone.flatMap((index) => sequences[index] ?? [])).then((each) => {
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
      if (failure === undefined || !isFinal(failure.statusCode)) return this.#operations.run(sequence.slice(0, 1));
      last = [toResult(failure)];
      count = failed;
    }
    if (count === 0) return last;
    const first = await this.#operations.run(sequence.slice(0, 1));
    return first.every(({ status }) => hasSucceeded(status)) ? [...first, ...last] : first;
  }

  /** One transaction; no responses where the request as a whole failed. */
  async #transact(creates: readonly Operation[]): Promise<readonly OperationResponse[]> {
    const inputs = creates.map((operation) => ({ operationType: 'Create' as const, resourceBody: bodyOf(operation) }));
    let responses: readonly OperationResponse[] = [];
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
}

function throttlingsIn(headers: unknown): number {
  if (!(headers instanceof Object) || !(THROTTLINGS in headers)) return 0;
  return Number(headers[THROTTLINGS]) || 0;
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
