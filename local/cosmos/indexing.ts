import type { ContainerDefinition } from './containerDefinition.ts';
import { badRequest } from './errors.ts';
import { isJsonObject, type Json } from './json.ts';
import { parseKeyPath } from './partitionKey.ts';
import type { OrderItem, Query } from './sql/ast.ts';
import { pathFrom } from './sql/path.ts';

interface SortedPath {
  readonly path: string;
  readonly descending: boolean;
}

/**
 * Refuses an ORDER BY that the service would refuse for want of an index: several items without a composite index of
 * just these paths (all in its directions, or all in the opposite ones), or one item on a path that is not indexed.
 * @returns whether documents without the property are among the results: as the service documents it, only where the
 * indexing policy names the path itself
 * @throws {CosmosError} 400
 */
export function checkOrderByIndexes(query: Query, definition: ContainerDefinition): boolean {
  const policy = definition.body.indexingPolicy;
  if (query.orderBy.length === 0 || !isJsonObject(policy)) return true;
  const sorted = query.orderBy.map((item) => sortedPath(item, query.alias));
  if (sorted.some((item) => item === undefined)) return true;
  const wanted = sorted.filter((item) => item !== undefined);
  if (wanted.length === 1) {
    const [only] = wanted;
    if (only !== undefined && isIndexed(only.path, policy.includedPaths, policy.excludedPaths)) {
      return isNamed(only.path, policy.includedPaths);
    }
    throw badRequest('The index path corresponding to the specified order-by item is excluded.');
  }
  const composites = Array.isArray(policy.compositeIndexes) ? policy.compositeIndexes : [];
  if (composites.some((composite) => serves(composite, wanted))) return true;
  throw badRequest('The order by query does not have a corresponding composite index that it can be served from.');
}

function sortedPath(item: OrderItem, alias: string): SortedPath | undefined {
  const names = pathFrom(item.expression, alias);
  return names === undefined ? undefined : { path: comparable(names), descending: item.descending };
}

function comparable(names: readonly string[]): string {
  return JSON.stringify(names);
}

function serves(composite: Json, wanted: readonly SortedPath[]): boolean {
  if (!Array.isArray(composite) || composite.length !== wanted.length) return false;
  const same = composite.map((entry, level) => {
    const item = wanted[level];
    if (!isJsonObject(entry) || typeof entry.path !== 'string' || item === undefined) return undefined;
    if (comparable(parseKeyPath(entry.path)) !== item.path) return undefined;
    return (entry.order === 'descending') === item.descending;
  });
  return same.every((direction) => direction === true) || same.every((direction) => direction === false);
}

/** The service always indexes these, unless indexing is off. */
const ALWAYS_INDEXED = [comparable(['id']), comparable(['_ts'])];

/** The more precise of the included and excluded paths that cover a property decides. */
function isIndexed(path: string, included: Json | undefined, excluded: Json | undefined): boolean {
  if (ALWAYS_INDEXED.includes(path)) return included !== undefined;
  return precision(path, included) > precision(path, excluded);
}

/** Whether an included path is this property's own, and not that of an object around it. */
function isNamed(path: string, included: Json | undefined): boolean {
  return (Array.isArray(included) ? included : []).some((entry) => {
    return isJsonObject(entry) && typeof entry.path === 'string' && comparable(namesOf(entry.path)) === path;
  });
}

/** The number of names of the longest indexing path that covers a property; `/a/?` is more precise than `/a/*`. */
function precision(path: string, entries: Json | undefined): number {
  let best = -1;
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (!isJsonObject(entry) || typeof entry.path !== 'string') continue;
    const exact = entry.path.endsWith('/?');
    const names = namesOf(entry.path);
    const covered = exact ? comparable(names) === path : comparable(names) === path || startsWith(path, names);
    if (covered) best = Math.max(best, names.length + (exact ? 0.5 : 0));
  }
  return best;
}

/** `/a/b/?` -> `['a', 'b']`, `/*` -> `[]`. */
function namesOf(path: string): string[] {
  const names = path.replace(/\/[?*]$/, '');
  return names === '' ? [] : parseKeyPath(names);
}

function startsWith(path: string, names: readonly string[]): boolean {
  return names.length === 0 || path.startsWith(`${comparable(names).slice(0, -1)},`);
}
