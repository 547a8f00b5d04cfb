import type { Catalog, Container } from './catalog.ts';
import {
  type Conditions,
  createDocument,
  deleteDocument,
  type Outcome,
  patchDocument,
  readDocument,
  replaceDocument,
  upsertDocument,
} from './documents.ts';
import { badRequest, CosmosError, fromUnexpected, tooLarge } from './errors.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { assertSameKey, type EncodedKey, parseFullKey } from './partitionKey.ts';
import { FAILED_OPERATION_UNITS } from './requestUnits.ts';

const MAX_OPERATIONS = 100;
const MAX_BATCH_BYTES = 2 * 1024 * 1024;

export interface BatchRequest {
  readonly operations: Json | undefined;
  readonly bytes: number;
  /** All or nothing, within one logical partition, named by `key`. */
  readonly atomic: boolean;
  readonly key: string | undefined;
  /** Of a batch that is not atomic: whether the operations after a failed one still run. */
  readonly continueOnError: boolean;
  /** False when the client does not want the documents back. */
  readonly returnDocuments: boolean;
}

export interface BatchAnswer {
  /** 200 when every operation succeeded, else 207. */
  readonly status: number;
  readonly text: string;
  readonly charge: number;
}

type Result = Outcome | CosmosError;

/**
 * Runs a batch in one SQLite transaction. Each operation answers for itself; in an atomic batch the first failure rolls
 * everything back, and the others answer 424.
 * @throws {CosmosError} where the batch as a whole is refused: 400, 413, 429
 */
export function runBatch(catalog: Catalog, container: Container, request: BatchRequest): BatchAnswer {
  const operations = parseOperations(request);
  const levels = container.definition.keyPaths.length;
  const key = request.atomic ? parseFullKey(request.key, levels) : undefined;
  if (request.atomic) container.throttle?.admit();
  const results: Result[] = [];
  catalog.sqlite.exec('BEGIN');
  try {
    for (const operation of operations) {
      const result = runOne(container, operation, key, request.atomic);
      results.push(result);
      if (result instanceof CosmosError && (request.atomic || !request.continueOnError)) break;
    }
  } finally {
    const failed = results.length === 0 || results.at(-1) instanceof CosmosError;
    catalog.sqlite.exec(request.atomic && failed ? 'ROLLBACK' : 'COMMIT');
  }
  return answer(request, operations.length, results);
}

function parseOperations(request: BatchRequest): JsonObject[] {
  const { operations } = request;
  if (!Array.isArray(operations) || operations.length === 0) throw badRequest('A batch is a list of operations.');
  if (operations.length > MAX_OPERATIONS) {
    throw badRequest(`Batch request has more operations than what is supported: at most ${MAX_OPERATIONS}.`);
  }
  if (request.atomic && request.bytes > MAX_BATCH_BYTES) {
    throw tooLarge(`Request size is too large: a transactional batch has at most ${MAX_BATCH_BYTES} bytes.`);
  }
  return operations.map((operation) => {
    if (!isJsonObject(operation)) throw badRequest('A batch operation must be an object.');
    return operation;
  });
}

function runOne(
  container: Container,
  operation: JsonObject,
  batchKey: EncodedKey | undefined,
  atomic: boolean,
): Result {
  try {
    if (!atomic) container.throttle?.admit();
    const outcome = dispatch(container, operation, keyOf(container, operation, batchKey));
    container.throttle?.charge(outcome.charge);
    return outcome;
  } catch (error) {
    const failure = fromUnexpected(error);
    if (failure.status !== 429) container.throttle?.charge(FAILED_OPERATION_UNITS);
    return failure;
  }
}

function keyOf(container: Container, operation: JsonObject, batchKey: EncodedKey | undefined): EncodedKey {
  const text = operation.partitionKey;
  if (text !== undefined && typeof text !== 'string')
    throw badRequest("An operation's partitionKey is JSON in a string.");
  if (batchKey === undefined) return parseFullKey(text, container.definition.keyPaths.length);
  if (text !== undefined) assertSameKey(batchKey, parseFullKey(text, batchKey.length));
  return batchKey;
}

function dispatch(container: Container, operation: JsonObject, key: EncodedKey): Outcome {
  const body = operation.resourceBody;
  const conditions: Conditions = { ifMatch: textOf(operation.ifMatch), ifNoneMatch: textOf(operation.ifNoneMatch) };
  switch (operation.operationType) {
    case 'Create':
      return createDocument(container, key, body);
    case 'Upsert':
      return upsertDocument(container, key, body, conditions);
    case 'Read':
      return readDocument(container, key, idOf(operation), conditions);
    case 'Replace':
      return replaceDocument(container, key, idOf(operation), body, conditions);
    case 'Delete':
      return deleteDocument(container, key, idOf(operation), conditions);
    case 'Patch':
      return patchDocument(container, key, idOf(operation), body, conditions);
    default:
      throw badRequest(`Unknown batch operation ${JSON.stringify(operation.operationType)}.`);
  }
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function idOf(operation: JsonObject): string {
  if (typeof operation.id !== 'string') throw badRequest('A batch operation needs the id of its document.');
  return operation.id;
}

function answer(request: BatchRequest, operations: number, results: readonly Result[]): BatchAnswer {
  const failed = results.findIndex((result) => result instanceof CosmosError);
  let charge = 0;
  const parts: string[] = [];
  for (let index = 0; index < operations; index += 1) {
    const result = results[index];
    const dependent = result === undefined || (request.atomic && failed >= 0 && index !== failed);
    const units = result === undefined ? 0 : result instanceof CosmosError ? FAILED_OPERATION_UNITS : result.charge;
    charge += units;
    if (dependent) parts.push(`{"statusCode":424,"requestCharge":${units}}`);
    else parts.push(result instanceof CosmosError ? failureText(result, units) : successText(result, request));
  }
  return { status: failed < 0 ? 200 : 207, text: `[${parts.join(',')}]`, charge: Math.round(charge * 100) / 100 };
}

function failureText(error: CosmosError, requestCharge: number): string {
  return JSON.stringify({
    statusCode: error.status,
    subStatusCode: error.substatus,
    requestCharge,
    retryAfterMilliseconds: error.retryAfterMs,
    message: error.message,
  });
}

function successText(outcome: Outcome, request: BatchRequest): string {
  const etag = outcome.etag === undefined ? '' : `,"eTag":${JSON.stringify(outcome.etag)}`;
  const body = outcome.text === undefined || !request.returnDocuments ? '' : `,"resourceBody":${outcome.text}`;
  return `{"statusCode":${outcome.status},"requestCharge":${outcome.charge}${etag}${body}}`;
}
