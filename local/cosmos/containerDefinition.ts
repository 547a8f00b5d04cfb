import { badRequest } from './errors.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { parseKeyPath } from './partitionKey.ts';
import { checkName } from './resourceId.ts';
import { parseTimeToLive } from './timeToLive.ts';

const MAX_KEY_LEVELS = 3;

/** What a client may say about a container, checked, with the service's defaults filled in. */
export interface ContainerDefinition {
  readonly id: string;
  readonly keyPaths: readonly (readonly string[])[];
  readonly defaultTtl: number | undefined;
  /** The whole definition as clients read it back, without system properties. */
  readonly body: JsonObject;
}

const DEFAULT_INDEXING_POLICY: JsonObject = {
  indexingMode: 'consistent',
  automatic: true,
  includedPaths: [{ path: '/*' }],
  excludedPaths: [{ path: '/"_etag"/?' }],
};

/** Parts of a definition that change what reads and writes do, and that the gateway does not act on. */
const UNSUPPORTED_PROPERTIES = ['vectorEmbeddingPolicy', 'fullTextPolicy', 'clientEncryptionPolicy'];

/** @throws {CosmosError} 400 for a definition that the service refuses, or that the gateway does not support */
export function parseContainerDefinition(body: JsonObject): ContainerDefinition {
  const id = checkName(body.id);
  const partitionKey = parsePartitionKey(body.partitionKey);
  const defaultTtl = parseTimeToLive(body.defaultTtl, 'defaultTtl');
  refuseUnsupported(body);
  const indexingPolicy = parseIndexingPolicy(body.indexingPolicy);
  if (indexingPolicy.indexingMode === 'none' && defaultTtl !== undefined) {
    throw badRequest("The container has time to live switched on, so its indexing mode can't be 'none'.");
  }
  const own = Object.entries(body).filter(([name, value]) => !name.startsWith('_') && value !== null);
  const stored: JsonObject = Object.fromEntries(own);
  stored.partitionKey = partitionKey.body;
  stored.indexingPolicy = indexingPolicy;
  stored.conflictResolutionPolicy ??= {
    mode: 'LastWriterWins',
    conflictResolutionPath: '/_ts',
    conflictResolutionProcedure: '',
  };
  return { id, keyPaths: partitionKey.paths, defaultTtl, body: stored };
}

function parsePartitionKey(value: Json | undefined): { paths: string[][]; body: JsonObject } {
  if (!isJsonObject(value) || !Array.isArray(value.paths) || value.paths.length === 0) {
    throw badRequest('The partition key definition is missing: { "paths": ["/…"], "kind": "Hash" }.');
  }
  const paths = value.paths.map((path) => {
    if (typeof path !== 'string') throw badRequest('A partition key path must be a string.');
    return parseKeyPath(path);
  });
  const kind = value.kind ?? 'Hash';
  const version = value.version ?? 2;
  if (version !== 1 && version !== 2) throw badRequest('The partition key version must be 1 or 2.');
  if (kind === 'Hash' && paths.length !== 1) {
    throw badRequest('A partition key of kind Hash has exactly one path; several need kind MultiHash.');
  }
  if (kind === 'MultiHash' && (version !== 2 || paths.length > MAX_KEY_LEVELS)) {
    throw badRequest(`A partition key of kind MultiHash has version 2 and up to ${MAX_KEY_LEVELS} paths.`);
  }
  if (kind !== 'Hash' && kind !== 'MultiHash') throw badRequest(`Unknown partition key kind ${JSON.stringify(kind)}.`);
  return { paths, body: { paths: value.paths, kind, version } };
}

function parseIndexingPolicy(value: Json | undefined): JsonObject {
  if (value === undefined || value === null) return DEFAULT_INDEXING_POLICY;
  if (!isJsonObject(value)) throw badRequest('The indexing policy must be an object.');
  const policy: JsonObject = { indexingMode: 'consistent', automatic: true, ...value };
  if (typeof policy.indexingMode === 'string') policy.indexingMode = policy.indexingMode.toLowerCase();
  if (policy.indexingMode !== 'consistent' && policy.indexingMode !== 'none') {
    throw badRequest(`Unknown indexing mode ${JSON.stringify(policy.indexingMode)}.`);
  }
  if (policy.indexingMode === 'none') return { indexingMode: 'none', automatic: false };
  const included = Array.isArray(policy.includedPaths) ? policy.includedPaths : [];
  const excluded = Array.isArray(policy.excludedPaths) ? policy.excludedPaths : [];
  [...included, ...excluded].forEach(checkIndexingPath);
  const named = [...included, ...excluded].some((path) => isJsonObject(path) && path.path === '/*');
  if (!named && included.length + excluded.length > 0) {
    throw badRequest("The special mandatory indexing path '/*' is not provided in any of the path type sets.");
  }
  policy.includedPaths = named ? included : [{ path: '/*' }];
  const etag = excluded.some((path) => isJsonObject(path) && path.path === '/"_etag"/?');
  policy.excludedPaths = etag ? excluded : [...excluded, { path: '/"_etag"/?' }];
  return policy;
}

function checkIndexingPath(entry: Json): void {
  const path = isJsonObject(entry) ? entry.path : undefined;
  if (typeof path === 'string' && /^\/(?:.*\/)?[?*]$/.test(path)) return;
  throw badRequest(
    `The indexing path ${JSON.stringify(path)} could not be accepted: it begins with / and ends with ? or *.`,
  );
}

function refuseUnsupported(body: JsonObject): void {
  const named = UNSUPPORTED_PROPERTIES.find((name) => body[name] !== undefined && body[name] !== null);
  if (named !== undefined) throw badRequest(`The local gateway does not support the container property ${named}.`);
  const keys = isJsonObject(body.uniqueKeyPolicy) ? body.uniqueKeyPolicy.uniqueKeys : undefined;
  if (Array.isArray(keys) && keys.length > 0)
    throw badRequest('The local gateway does not support unique key policies.');
  if (Array.isArray(body.computedProperties) && body.computedProperties.length > 0) {
    throw badRequest('The local gateway does not support computed properties.');
  }
}
