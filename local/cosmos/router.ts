import { type Catalog, describeContainer, describeDatabase } from './catalog.ts';
import { handleDocument, handleDocuments } from './documentRoutes.ts';
import { badRequest, CosmosError } from './errors.ts';
import { type GatewayRequest, type GatewayResponse, isTrue, parseBody } from './http.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import type { QueryRunner } from './queries.ts';
import { PARTITION_KEY_RANGE } from './queryPlan.ts';
import { databaseRid } from './resourceId.ts';

/** What the service charges for reading or changing databases and containers is not published; this is its order. */
const METADATA_READ_UNITS = 1;
const METADATA_WRITE_UNITS = 4.95;

/** Finds the resource that a request names, and lets it answer. @throws {CosmosError} for every other answer */
export function route(
  catalog: Catalog,
  queries: QueryRunner,
  account: JsonObject,
  request: GatewayRequest,
): GatewayResponse {
  const [dbs, database, colls, container, feed, document, ...rest] = request.path;
  const known = (dbs ?? 'dbs') === 'dbs' && (colls ?? 'colls') === 'colls' && rest.length === 0;
  if (!known) throw unknownRoute(request);
  if (dbs === undefined) return only(request, 'GET', () => found(account));
  if (database === undefined) return handleDatabases(catalog, request);
  if (colls === undefined) return handleDatabase(catalog, database, request);
  if (container === undefined) return handleContainers(catalog, database, request);
  if (feed === undefined) return handleContainer(catalog, database, container, request);
  if (feed === 'pkranges' && document === undefined)
    return only(request, 'GET', () => ranges(catalog, database, container));
  if (feed !== 'docs') throw unknownRoute(request);
  const target = catalog.container(database, container);
  if (document === undefined) return handleDocuments(catalog, queries, target, request);
  return handleDocument(target, document, request);
}

function handleDatabases(catalog: Catalog, request: GatewayRequest): GatewayResponse {
  if (request.method === 'GET') {
    return found({
      _rid: '',
      Databases: [...catalog.databases.values()].map(describeDatabase),
      _count: catalog.databases.size,
    });
  }
  return only(request, 'POST', () => made(201, describeDatabase(catalog.createDatabase(objectBody(request)))));
}

function handleDatabase(catalog: Catalog, id: string, request: GatewayRequest): GatewayResponse {
  if (request.method === 'GET') return found(describeDatabase(catalog.database(id)));
  return only(request, 'DELETE', () => {
    catalog.deleteDatabase(id);
    return { status: 204, charge: METADATA_WRITE_UNITS };
  });
}

function handleContainers(catalog: Catalog, databaseId: string, request: GatewayRequest): GatewayResponse {
  const database = catalog.database(databaseId);
  if (request.method === 'GET') {
    const containers = [...database.containers.values()].map(describeContainer);
    return found({ _rid: databaseRid(database.number), DocumentCollections: containers, _count: containers.length });
  }
  return only(request, 'POST', () => {
    return made(201, describeContainer(catalog.createContainer(databaseId, objectBody(request))));
  });
}

function handleContainer(catalog: Catalog, database: string, id: string, request: GatewayRequest): GatewayResponse {
  if (request.method === 'GET') return found(describeContainer(catalog.container(database, id)));
  if (request.method === 'PUT') {
    return made(200, describeContainer(catalog.replaceContainer(database, id, objectBody(request))));
  }
  return only(request, 'DELETE', () => {
    catalog.deleteContainer(database, id);
    return { status: 204, charge: METADATA_WRITE_UNITS };
  });
}

function ranges(catalog: Catalog, database: string, id: string): GatewayResponse {
  const { rid } = catalog.container(database, id).owner;
  const range = {
    ...PARTITION_KEY_RANGE,
    _rid: rid,
    ridPrefix: 0,
    throughputFraction: 1,
    status: 'online',
    parents: [],
  };
  return found({ _rid: rid, PartitionKeyRanges: [range], _count: 1 });
}

function objectBody(request: GatewayRequest): JsonObject {
  if (isTrue(request, 'x-ms-documentdb-isquery')) {
    throw badRequest('The local gateway does not support queries over databases or containers: list them.');
  }
  const body = parseBody(request);
  if (!isJsonObject(body)) throw badRequest('The request body must be a JSON object.');
  return body;
}

function found(value: JsonObject): GatewayResponse {
  return { status: 200, text: JSON.stringify(value), etag: etagOf(value), charge: METADATA_READ_UNITS };
}

function made(status: number, value: JsonObject): GatewayResponse {
  return { status, text: JSON.stringify(value), etag: etagOf(value), charge: METADATA_WRITE_UNITS };
}

function etagOf(value: JsonObject): string | undefined {
  return typeof value._etag === 'string' ? value._etag : undefined;
}

function only(request: GatewayRequest, method: string, answer: () => GatewayResponse): GatewayResponse {
  if (request.method === method) return answer();
  throw new CosmosError(405, `${request.method} is not allowed on /${request.path.join('/')}.`);
}

function unknownRoute(request: GatewayRequest): CosmosError {
  return new CosmosError(404, `The local gateway does not know the resource /${request.path.join('/')}.`);
}
