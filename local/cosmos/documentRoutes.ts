import { runBatch } from './batch.ts';
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
import { badRequest, CosmosError } from './errors.ts';
import { type GatewayRequest, type GatewayResponse, header, isTrue, parseBody } from './http.ts';
import { parseFullKey } from './partitionKey.ts';
import { parseQueryBody, type QueryRunner } from './queries.ts';
import { PARTITION_KEY_RANGE, queryPlan } from './queryPlan.ts';
import { FAILED_OPERATION_UNITS } from './requestUnits.ts';

const KEY_HEADER = 'x-ms-documentdb-partitionkey';
const READ_FEED = { query: 'SELECT * FROM c' };

/** Requests to `…/docs`: create, upsert, query, query plan, batch, and the list of all documents. */
export function handleDocuments(
  catalog: Catalog,
  queries: QueryRunner,
  container: Container,
  request: GatewayRequest,
): GatewayResponse {
  refuseUnsupported(request);
  if (request.method === 'GET') return query(queries, container, request, READ_FEED);
  if (request.method !== 'POST') throw new CosmosError(405, `${request.method} is not allowed here.`);
  if (isTrue(request, 'x-ms-cosmos-is-query-plan-request')) {
    return { status: 200, text: JSON.stringify(queryPlan(parseQueryBody(parseBody(request)).query)), charge: 0 };
  }
  const contentType = header(request, 'content-type') ?? '';
  if (isTrue(request, 'x-ms-documentdb-isquery') || contentType.startsWith('application/query+json')) {
    return query(queries, container, request, parseBody(request));
  }
  if (isTrue(request, 'x-ms-cosmos-is-batch-request')) {
    const answer = runBatch(catalog, container, {
      operations: parseBody(request),
      bytes: request.body.length,
      atomic: isTrue(request, 'x-ms-cosmos-batch-atomic'),
      key: header(request, KEY_HEADER),
      continueOnError: isTrue(request, 'x-ms-cosmos-batch-continue-on-error'),
      returnDocuments: header(request, 'prefer') !== 'return=minimal',
    });
    return { ...answer };
  }
  return metered(container, () => {
    const body = parseBody(request);
    const key = parseFullKey(header(request, KEY_HEADER), container.definition.keyPaths.length);
    if (!isTrue(request, 'x-ms-documentdb-is-upsert')) return createDocument(container, key, body);
    return upsertDocument(container, key, body, conditionsOf(request));
  });
}

/** Requests to one document. */
export function handleDocument(container: Container, id: string, request: GatewayRequest): GatewayResponse {
  return metered(container, () => {
    const key = parseFullKey(header(request, KEY_HEADER), container.definition.keyPaths.length);
    const conditions = conditionsOf(request);
    switch (request.method) {
      case 'GET':
        return readDocument(container, key, id, conditions);
      case 'PUT':
        return replaceDocument(container, key, id, parseBody(request), conditions);
      case 'PATCH':
        return patchDocument(container, key, id, parseBody(request), conditions);
      case 'DELETE':
        return deleteDocument(container, key, id, conditions);
      default:
        throw new CosmosError(405, `${request.method} is not allowed here.`);
    }
  });
}

function metered(container: Container, operation: () => Outcome): GatewayResponse {
  container.throttle?.admit();
  let units = FAILED_OPERATION_UNITS;
  try {
    const { status, etag, text, charge } = operation();
    units = charge;
    return { status, etag, text, charge };
  } finally {
    container.throttle?.charge(units);
  }
}

function query(
  queries: QueryRunner,
  container: Container,
  request: GatewayRequest,
  body: ReturnType<typeof parseBody>,
): GatewayResponse {
  container.throttle?.admit();
  const page = queries.run(container, {
    body,
    key: header(request, KEY_HEADER),
    maxItems: header(request, 'x-ms-max-item-count'),
    continuation: header(request, 'x-ms-continuation'),
  });
  container.throttle?.charge(page.charge);
  return {
    status: 200,
    text: `{"_rid":${JSON.stringify(container.owner.rid)},"Documents":[${page.texts.join(',')}],"_count":${page.texts.length}}`,
    continuation: page.continuation,
    itemCount: page.texts.length,
    charge: page.charge,
  };
}

function conditionsOf(request: GatewayRequest): Conditions {
  return { ifMatch: header(request, 'if-match'), ifNoneMatch: header(request, 'if-none-match') };
}

/** What would be answered wrongly if it were passed over. */
function refuseUnsupported(request: GatewayRequest): void {
  if (header(request, 'a-im') !== undefined) throw badRequest('The local gateway does not support the change feed.');
  const range = header(request, 'x-ms-documentdb-partitionkeyrangeid');
  if (range !== undefined && range !== PARTITION_KEY_RANGE.id) {
    throw new CosmosError(410, `There is no partition key range '${range}'.`, { substatus: 1002 });
  }
  const [start, end] = [header(request, 'x-ms-start-epk'), header(request, 'x-ms-end-epk')];
  const whole =
    (start ?? '') === PARTITION_KEY_RANGE.minInclusive && (end ?? 'FF') === PARTITION_KEY_RANGE.maxExclusive;
  if (!whole) throw badRequest('The local gateway does not support queries over effective partition key ranges.');
  for (const trigger of ['x-ms-documentdb-pre-trigger-include', 'x-ms-documentdb-post-trigger-include']) {
    if (header(request, trigger) !== undefined) throw badRequest('The local gateway does not support triggers.');
  }
}
