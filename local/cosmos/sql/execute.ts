import type { ColumnFilter } from '../documentTable.ts';
import { canonicalText, type Json } from '../json.ts';
import { compareForOrder } from './compare.ts';
import type { Scope, Value } from './evaluate.ts';
import type { PreparedQuery } from './prepare.ts';

/** A document that a query looks at; its text and value are made only when they are needed. */
export interface Candidate {
  readonly sequence: number;
  text(): string;
  value(withSystemProperties: boolean): Json;
}

/** Where documents come from, in the order of their sequence numbers. */
export interface Source {
  scan(filters: readonly ColumnFilter[], afterSequence: number): Iterable<Candidate>;
  count(filters: readonly ColumnFilter[]): number;
}

/**
 * Where a streaming query goes on: at a row of a document (JOIN makes several of one), with what is left of OFFSET and
 * LIMIT. It names no position in a result, so documents that come and go between two pages shift nothing.
 */
export interface StreamPosition {
  readonly document: number;
  readonly row: number;
  readonly offset: number;
  readonly limit: number | undefined;
}

export interface Page {
  readonly texts: readonly string[];
  readonly next: StreamPosition | undefined;
}

export interface PageLimits {
  readonly items: number;
  readonly bytes: number;
}

interface Row {
  readonly candidate: Candidate;
  readonly scope: Scope;
  /** The place of the row among those of its document. */
  readonly index: number;
}

const NO_AGGREGATES: readonly Value[] = [];

/** Whether a query can be answered page by page without having seen all documents. */
export function isStreaming(query: PreparedQuery): boolean {
  return !query.distinct && query.orderBy.length === 0 && query.groupBy.length === 0 && query.aggregates.length === 0;
}

export function firstPosition(query: PreparedQuery): StreamPosition {
  return { document: 0, row: 0, offset: query.offset, limit: query.limit };
}

/** One page of a streaming query. */
export function streamPage(query: PreparedQuery, source: Source, from: StreamPosition, limits: PageLimits): Page {
  const texts: string[] = [];
  let bytes = 0;
  let { offset, limit } = from;
  for (const row of rows(query, source, from.document - 1)) {
    const document = row.candidate.sequence;
    if (document === from.document && row.index < from.row) continue;
    if (limit === 0) return { texts, next: undefined };
    if (texts.length >= limits.items || bytes >= limits.bytes) {
      return { texts, next: { document, row: row.index, offset, limit } };
    }
    const text = project(query, row);
    if (text === undefined) continue;
    if (offset > 0) {
      offset -= 1;
      continue;
    }
    texts.push(text);
    bytes += text.length;
    if (limit !== undefined) limit -= 1;
  }
  return { texts, next: undefined };
}

/** All results of a query that must see every document first: ORDER BY, DISTINCT, GROUP BY, aggregates. */
export function executeWhole(query: PreparedQuery, source: Source): string[] {
  const end = query.limit === undefined ? Number.POSITIVE_INFINITY : query.offset + query.limit;
  if (query.groupBy.length > 0 || query.aggregates.length > 0) {
    return distinct(query, grouped(query, source))
      .slice(query.offset, end)
      .map((value) => JSON.stringify(value));
  }
  const found = query.orderBy.length > 0 ? sorted(query, source) : rows(query, source, 0);
  if (query.distinct) {
    const values = Array.from(found, (row) => query.select(row.scope));
    return distinct(query, values)
      .slice(query.offset, end)
      .map((value) => JSON.stringify(value));
  }
  const texts: string[] = [];
  for (const row of found) {
    if (texts.length >= end) break;
    const text = project(query, row);
    if (text !== undefined) texts.push(text);
  }
  return texts.slice(query.offset);
}

function* rows(query: PreparedQuery, source: Source, afterSequence: number): Generator<Row> {
  const conditions = query.residual.length + query.joins.length + query.orderBy.length + query.groupBy.length;
  const textSuffices = query.wholeDocument && conditions === 0 && !query.distinct;
  for (const candidate of source.scan(query.filters, afterSequence)) {
    if (textSuffices) {
      yield { candidate, scope: { values: [], aggregates: NO_AGGREGATES }, index: 0 };
      continue;
    }
    let index = 0;
    for (const values of expand(query, [candidate.value(query.usesSystemProperties)])) {
      const scope = { values, aggregates: NO_AGGREGATES };
      if (!query.residual.every((holds) => holds(scope) === true)) continue;
      yield { candidate, scope, index };
      index += 1;
    }
  }
}

/** The combinations that JOIN makes of one document. */
function expand(query: PreparedQuery, document: readonly Value[]): readonly (readonly Value[])[] {
  let combinations: readonly (readonly Value[])[] = [document];
  for (const join of query.joins) {
    combinations = combinations.flatMap((values) => {
      const elements = join({ values, aggregates: NO_AGGREGATES });
      return Array.isArray(elements) ? elements.map((element) => [...values, element]) : [];
    });
  }
  return combinations;
}

function project(query: PreparedQuery, row: Row): string | undefined {
  if (query.wholeDocument) return row.candidate.text();
  const value = query.select(row.scope);
  return value === undefined ? undefined : JSON.stringify(value);
}

function sorted(query: PreparedQuery, source: Source): Row[] {
  const keyed = Array.from(rows(query, source, 0), (row) => {
    return { row, keys: query.orderBy.map(({ evaluate }) => evaluate(row.scope)) };
  });
  const sortable = query.sortsUndefined ? keyed : keyed.filter(({ keys }) => keys[0] !== undefined);
  sortable.sort((left, right) => {
    for (const [level, { descending }] of query.orderBy.entries()) {
      const order = compareForOrder(left.keys[level], right.keys[level]);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
  return sortable.map(({ row }) => row);
}

function grouped(query: PreparedQuery, source: Source): Value[] {
  if (query.groupBy.length === 0 && query.countsRowsOnly && query.residual.length + query.joins.length === 0) {
    const documents = source.count(query.filters);
    return [query.select({ values: [], aggregates: query.aggregates.map(() => documents) })];
  }
  const start = (values: readonly Value[]) => ({ values, running: query.aggregates.map((call) => call.start()) });
  const groups = new Map<string, ReturnType<typeof start>>();
  if (query.groupBy.length === 0) groups.set('', start([]));
  for (const { scope } of rows(query, source, 0)) {
    const key = query.groupBy.map((evaluate) => textOf(evaluate(scope))).join('\n');
    let group = groups.get(key);
    if (group === undefined) {
      group = start(scope.values);
      groups.set(key, group);
    }
    for (const [position, { argument }] of query.aggregates.entries()) group.running[position]?.add(argument(scope));
  }
  return Array.from(groups.values(), ({ values, running }) => {
    return query.select({ values, aggregates: running.map((aggregate) => aggregate.result()) });
  });
}

function distinct(query: PreparedQuery, values: readonly Value[]): Json[] {
  const defined = values.filter((value) => value !== undefined);
  if (!query.distinct) return defined;
  const seen = new Map<string, Json>();
  for (const value of defined) {
    const text = canonicalText(value);
    if (!seen.has(text)) seen.set(text, value);
  }
  return [...seen.values()];
}

function textOf(value: Value): string {
  return value === undefined ? 'undefined' : canonicalText(value);
}
