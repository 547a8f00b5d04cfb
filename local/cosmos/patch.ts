import { badRequest } from './errors.ts';
import { isJsonObject, type Json, type JsonObject, propertyOf } from './json.ts';

/**
 * Partial document update: `add`, `set`, `replace`, `remove`, `incr`, `move` on JSON pointers, with the service's
 * differences from the JSON Patch standard: `add` and `set` replace a property that is there, `set` on an array index
 * updates where `add` inserts, `incr` creates a missing property.
 */
const MAX_OPERATIONS = 10;
const PROTECTED_NAMES: readonly string[] = ['id', '_rid', '_self', '_etag', '_ts', '_attachments'];

export interface PatchRequest {
  readonly operations: readonly JsonObject[];
  /** `from c where …`: the patch is applied only to a document for which it holds. */
  readonly condition: string | undefined;
}

type Container = JsonObject | Json[];

/** @throws {CosmosError} 400 when it is no list of 1 to 10 operations, bare or under `operations` */
export function parsePatch(body: Json | undefined): PatchRequest {
  const operations = isJsonObject(body) ? body.operations : body;
  const condition = isJsonObject(body) ? body.condition : undefined;
  if (!Array.isArray(operations) || operations.length === 0) {
    throw badRequest('A patch needs a list of operations.');
  }
  if (operations.length > MAX_OPERATIONS) {
    throw badRequest(`The number of patch operations can't exceed '${MAX_OPERATIONS}'.`);
  }
  if (condition !== undefined && typeof condition !== 'string') throw badRequest('A patch condition must be a string.');
  const checked = operations.map((operation) => {
    if (!isJsonObject(operation)) throw badRequest('A patch operation must be an object.');
    return operation;
  });
  return { operations: checked, condition };
}

/**
 * Applies the operations, in order, to `document` itself.
 * @param keyPaths the container's partition key, which a patch must not touch
 * @throws {CosmosError} 400 naming the operation that cannot be applied
 */
export function applyPatch(
  document: JsonObject,
  operations: readonly JsonObject[],
  keyPaths: readonly (readonly string[])[],
): void {
  operations.forEach((operation, index) => {
    try {
      const path = pointer(operation.path, keyPaths);
      apply(document, operation, path, keyPaths);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw badRequest(`For Operation(${index + 1}): ${reason}`, { cause });
    }
  });
}

function apply(
  document: JsonObject,
  operation: JsonObject,
  path: readonly string[],
  keyPaths: readonly (readonly string[])[],
): void {
  switch (operation.op) {
    case 'add':
      write(document, path, required(operation.value), 'insert');
      break;
    case 'set':
      write(document, path, required(operation.value), 'update');
      break;
    case 'replace':
      read(document, path);
      write(document, path, required(operation.value), 'update');
      break;
    case 'remove':
      remove(document, path);
      break;
    case 'incr':
      increment(document, path, operation.value);
      break;
    case 'move':
      move(document, pointer(operation.from, keyPaths), path);
      break;
    default:
      throw badRequest(`Unknown patch operation ${JSON.stringify(operation.op)}.`);
  }
}

function move(document: JsonObject, from: readonly string[], path: readonly string[]): void {
  if (from.length < path.length && from.every((name, level) => name === path[level])) {
    throw badRequest("the 'path' attribute can't be a child of the 'from' attribute");
  }
  const value = read(document, from);
  remove(document, from);
  write(document, path, value, 'insert');
}

function required(value: Json | undefined): Json {
  if (value === undefined) throw badRequest("the 'value' attribute is missing");
  return value;
}

function pointer(text: Json | undefined, keyPaths: readonly (readonly string[])[]): string[] {
  if (typeof text !== 'string' || !text.startsWith('/') || text === '/') {
    throw badRequest(`${JSON.stringify(text)} is not a valid JSON pointer`);
  }
  const path = text
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (path.length === 1 && PROTECTED_NAMES.includes(path[0] ?? '')) throw badRequest(`'${text}' can't be patched`);
  const touchesKey = keyPaths.some((key) => path.every((name, level) => level >= key.length || name === key[level]));
  if (touchesKey) throw badRequest(`'${text}' is part of the partition key and can't be patched`);
  return path;
}

/** The object or array that holds the last name of a path. */
function parentOf(document: JsonObject, path: readonly string[]): Container {
  let current: Json | undefined = document;
  for (const name of path.slice(0, -1)) current = child(current, name);
  if (isJsonObject(current) || Array.isArray(current)) return current;
  throw badRequest(`the parent of '/${path.join('/')}' does not exist`);
}

function child(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return value[existingIndex(value, name)];
  return isJsonObject(value) ? propertyOf(value, name) : undefined;
}

function read(document: JsonObject, path: readonly string[]): Json {
  const value = child(parentOf(document, path), path.at(-1) ?? '');
  if (value === undefined) throw badRequest(`'/${path.join('/')}' does not exist`);
  return value;
}

function write(document: JsonObject, path: readonly string[], value: Json, inArray: 'insert' | 'update'): void {
  const parent = parentOf(document, path);
  const name = path.at(-1) ?? '';
  if (!Array.isArray(parent)) {
    Object.defineProperty(parent, name, { value, writable: true, enumerable: true, configurable: true });
  } else if (name === '-') parent.push(value);
  else if (inArray === 'update') parent[existingIndex(parent, name)] = value;
  else parent.splice(index(name, parent.length), 0, value);
}

function remove(document: JsonObject, path: readonly string[]): void {
  read(document, path);
  const parent = parentOf(document, path);
  const name = path.at(-1) ?? '';
  if (Array.isArray(parent)) parent.splice(existingIndex(parent, name), 1);
  else delete parent[name];
}

function increment(document: JsonObject, path: readonly string[], by: Json | undefined): void {
  if (typeof by !== 'number') throw badRequest('an increment needs a number');
  const current = child(parentOf(document, path), path.at(-1) ?? '');
  if (current !== undefined && typeof current !== 'number') throw badRequest(`'/${path.join('/')}' is not a number`);
  write(document, path, (current ?? 0) + by, 'update');
}

function existingIndex(array: readonly Json[], name: string): number {
  return index(name, array.length - 1);
}

function index(name: string, greatest: number): number {
  const number = Number(name);
  if (/^\d+$/.test(name) && number <= greatest) return number;
  throw badRequest(`'${name}' is not an index of the array`);
}
