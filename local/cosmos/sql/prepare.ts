import type { ColumnFilter } from '../documentTable.ts';
import type { Json } from '../json.ts';
import type { Query, Selection } from './ast.ts';
import { invalid } from './errors.ts';
import {
  type AggregateCall,
  buildObject,
  type CompileContext,
  compile,
  constantOf,
  type Evaluator,
} from './evaluate.ts';
import { checkGrouping } from './grouping.ts';
import { pathFrom } from './path.ts';
import { pushDown } from './pushdown.ts';
import { usesSystemProperties } from './walk.ts';

/** A query with its parameters, compiled. */
export interface PreparedQuery {
  readonly filters: readonly ColumnFilter[];
  readonly residual: readonly Evaluator[];
  readonly joins: readonly Evaluator[];
  readonly select: Evaluator;
  /** True where the selection is the whole document, so that its text can be returned as it is. */
  readonly wholeDocument: boolean;
  readonly usesSystemProperties: boolean;
  readonly distinct: boolean;
  readonly groupBy: readonly Evaluator[];
  readonly aggregates: readonly AggregateCall[];
  /** True where every aggregate counts rows, whatever is in them. */
  readonly countsRowsOnly: boolean;
  readonly orderBy: readonly { readonly evaluate: Evaluator; readonly descending: boolean }[];
  /** False where ORDER BY leaves out documents without the property. */
  readonly sortsUndefined: boolean;
  readonly offset: number;
  /** The lesser of TOP and LIMIT. */
  readonly limit: number | undefined;
}

/** @throws {CosmosError} 400 for unknown names, functions and parameters, and misplaced aggregates */
export function prepareQuery(
  query: Query,
  parameters: ReadonlyMap<string, Json>,
  keyPaths: readonly (readonly string[])[],
): PreparedQuery {
  const names = new Map([[query.alias, 0]]);
  const scalar: CompileContext = { names, parameters, aggregates: undefined };
  const joins = query.joins.map(({ alias, source }) => {
    const evaluate = compile(source, scalar);
    if (names.has(alias)) throw invalid(`The alias '${alias}' is used twice.`);
    names.set(alias, names.size);
    return evaluate;
  });
  const { filters, residual } = pushDown(query.where, query.alias, keyPaths, parameters);
  const aggregates: AggregateCall[] = [];
  const select = compileSelection(query.select, { ...scalar, aggregates }, query);
  const groupBy = query.groupBy.map((expression) => compile(expression, scalar));
  if (aggregates.length > 0 || groupBy.length > 0) checkGrouping(query);
  const orderBy = query.orderBy.map(({ expression, descending }) => {
    if (![...names.keys()].some((name) => pathFrom(expression, name) !== undefined)) {
      throw invalid('Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.');
    }
    return { evaluate: compile(expression, scalar), descending };
  });
  const top = count(query.top, parameters);
  const limit = count(query.limit, parameters);
  return {
    filters,
    residual: residual.map((condition) => compile(condition, scalar)),
    joins,
    select,
    wholeDocument: isWholeDocument(query.select, query.alias),
    usesSystemProperties: usesSystemProperties(query),
    distinct: query.distinct,
    groupBy,
    aggregates,
    countsRowsOnly: countsRowsOnly(query.select),
    orderBy,
    sortsUndefined: true,
    offset: count(query.offset, parameters) ?? 0,
    limit: top === undefined || limit === undefined ? (top ?? limit) : Math.min(top, limit),
  };
}

function compileSelection(select: Selection, context: CompileContext, query: Query): Evaluator {
  if (select.kind === 'star') {
    if (query.joins.length > 0) throw invalid("'SELECT *' is only valid with a single input set.");
    return (scope) => scope.values[0];
  }
  if (select.kind === 'value') return compile(select.expression, context);
  const entries = select.items.map(({ name, expression }) => [name, compile(expression, context)] as const);
  if (new Set(select.items.map((item) => item.name)).size < entries.length) {
    throw invalid('Two columns of the select list have the same name.');
  }
  return (scope) => buildObject(entries, scope);
}

function isWholeDocument(select: Selection, alias: string): boolean {
  if (select.kind === 'star') return true;
  return select.kind === 'value' && select.expression.kind === 'identifier' && select.expression.name === alias;
}

function countsRowsOnly(select: Selection): boolean {
  const expressions = select.kind === 'list' ? select.items.map((item) => item.expression) : [];
  if (select.kind === 'value') expressions.push(select.expression);
  return expressions.every((expression) => {
    if (expression.kind !== 'call' || expression.name !== 'COUNT') return false;
    const [argument] = expression.args;
    return argument?.kind === 'literal' && argument.value !== undefined;
  });
}

function count(expression: Query['top'], parameters: ReadonlyMap<string, Json>): number | undefined {
  if (expression === undefined) return undefined;
  const value = constantOf(expression, parameters);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw invalid('TOP, OFFSET and LIMIT need a whole number that is not negative.');
}
