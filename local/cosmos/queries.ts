import { randomUUID } from 'node:crypto';
import type { Container } from './catalog.ts';
import { decodeContinuation, encodeContinuation, fingerprint } from './continuation.ts';
import type { ColumnFilter } from './documentTable.ts';
import { badRequest } from './errors.ts';
import { checkOrderByIndexes } from './indexing.ts';
import { isJsonObject, type Json } from './json.ts';
import { type EncodedKey, parseKey } from './partitionKey.ts';
import { queryPageCharge } from './requestUnits.ts';
import type { Query } from './sql/ast.ts';
import { executeWhole, firstPosition, isStreaming, type Source, streamPage } from './sql/execute.ts';
import { parseQuery } from './sql/parser.ts';
import { type PreparedQuery, prepareQuery } from './sql/prepare.ts';
import { documentText, documentValue } from './systemProperties.ts';

const DEFAULT_PAGE_ITEMS = 100;
/** "As many as you like": the page then ends by its size. */
const DYNAMIC_PAGE_ITEMS = -1;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_KEPT_RESULTS = 8;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const KEY_COLUMNS = ['k0', 'k1', 'k2'] as const;

export interface QueryRequest {
  /** `{query, parameters}` as sent. */
  readonly body: Json | undefined;
  /** A whole key or a prefix of one, as JSON; absent for a query across partitions. */
  readonly key: string | undefined;
  readonly maxItems: string | undefined;
  readonly continuation: string | undefined;
}

export interface QueryPage {
  readonly texts: readonly string[];
  readonly continuation: string | undefined;
  readonly charge: number;
}

/** Parses the text of a query request. @throws {CosmosError} 400 */
export function parseQueryBody(body: Json | undefined): { text: string; query: Query; parameters: Map<string, Json> } {
  if (!isJsonObject(body) || typeof body.query !== 'string') {
    throw badRequest('A query request is an object with the properties query and parameters.');
  }
  const parameters = new Map<string, Json>();
  for (const parameter of Array.isArray(body.parameters) ? body.parameters : []) {
    if (!isJsonObject(parameter) || typeof parameter.name !== 'string') {
      throw badRequest('A query parameter is an object with the properties name and value.');
    }
    if (parameter.value !== undefined) parameters.set(parameter.name, parameter.value);
  }
  return { text: body.query, query: parseQuery(body.query), parameters };
}

/**
 * Answers queries page by page. Results that need all documents (ORDER BY, DISTINCT, GROUP BY, aggregates) are kept
 * between the pages of one query, a few at a time, so these pages show one moment; one that was dropped is computed
 * again.
 */
export class QueryRunner {
  readonly #kept = new Map<string, { readonly texts: readonly string[]; readonly bytes: number }>();
  #keptBytes = 0;

  /** @throws {CosmosError} 400 */
  run(container: Container, request: QueryRequest): QueryPage {
    const { text, query, parameters } = parseQueryBody(request.body);
    const { definition } = container;
    const sortsUndefined = checkOrderByIndexes(query, definition);
    const prepared = { ...prepareQuery(query, parameters, definition.keyPaths), sortsUndefined };
    const keyFilters = filtersOfKey(request.key, definition.keyPaths.length);
    const source = sourceOf(container, keyFilters);
    const identity = fingerprint(
      text,
      JSON.stringify([...parameters]),
      request.key ?? '',
      String(container.owner.container),
    );
    return this.#page(prepared, source, identity, request);
  }

  #page(query: PreparedQuery, source: Source, identity: string, request: QueryRequest): QueryPage {
    const items = pageItems(request.maxItems);
    const from = request.continuation === undefined ? undefined : decodeContinuation(identity, request.continuation);
    if (isStreaming(query)) {
      if (from?.kind === 'result') throw badRequest('The continuation token does not belong to this query.');
      const limits = { items, bytes: MAX_PAGE_BYTES };
      const page = streamPage(query, source, from?.position ?? firstPosition(query), limits);
      const { next } = page;
      return answer(page.texts, next && encodeContinuation(identity, { kind: 'stream', position: next }));
    }
    if (from?.kind === 'stream') throw badRequest('The continuation token does not belong to this query.');
    const all = (from && this.#kept.get(from.result)?.texts) ?? executeWhole(query, source);
    const start = from?.index ?? 0;
    const texts = cut(all, start, items);
    const index = start + texts.length;
    if (index >= all.length) return answer(texts, undefined);
    const result = this.#keep(from?.result ?? randomUUID(), all);
    return answer(texts, encodeContinuation(identity, { kind: 'result', result, index }));
  }

  #keep(name: string, texts: readonly string[]): string {
    if (this.#kept.has(name)) return name;
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    if (bytes > MAX_KEPT_BYTES) return name;
    this.#kept.set(name, { texts, bytes });
    this.#keptBytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT_RESULTS && this.#keptBytes <= MAX_KEPT_BYTES) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= freed;
    }
    return name;
  }
}

/** The documents of a container, or of the part of it that a key names. */
function sourceOf(container: Container, keyFilters: readonly ColumnFilter[]): Source {
  const { owner, documents } = container;
  return {
    *scan(filters, afterSequence) {
      for (const stored of documents.scan([...keyFilters, ...filters], afterSequence, Date.now())) {
        yield {
          sequence: stored.sequence,
          text: () => documentText(owner, stored),
          value: (withSystemProperties) => {
            return withSystemProperties ? documentValue(owner, stored) : JSON.parse(stored.body);
          },
        };
      }
    },
    count: (filters) => documents.count([...keyFilters, ...filters], Date.now()),
  };
}

function filtersOfKey(text: string | undefined, levels: number): ColumnFilter[] {
  if (text === undefined) return [];
  const key: EncodedKey = parseKey(text);
  if (key.length > levels) throw badRequest('The partition key has more levels than the container.');
  return key.flatMap((component, level) => {
    const column = KEY_COLUMNS[level];
    return column === undefined ? [] : [{ column, values: [component] }];
  });
}

function pageItems(text: string | undefined): number {
  const items = text === undefined ? DEFAULT_PAGE_ITEMS : Number(text);
  if (items === DYNAMIC_PAGE_ITEMS) return Number.POSITIVE_INFINITY;
  if (Number.isInteger(items) && items > 0) return items;
  throw badRequest(`The header x-ms-max-item-count has the invalid value '${text}'.`);
}

function cut(texts: readonly string[], start: number, items: number): string[] {
  const page: string[] = [];
  let bytes = 0;
  for (let index = start; index < texts.length && page.length < items && bytes < MAX_PAGE_BYTES; index += 1) {
    const text = texts[index] ?? '';
    page.push(text);
    bytes += text.length;
  }
  return page;
}

function answer(texts: readonly string[], continuation: string | undefined): QueryPage {
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  return { texts, continuation, charge: queryPageCharge(bytes) };
}
