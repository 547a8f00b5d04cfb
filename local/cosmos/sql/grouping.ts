import { AGGREGATES } from './aggregates.ts';
import type { Expression, Query } from './ast.ts';
import { invalid, unsupported } from './errors.ts';
import { partsOf, selectedExpressions } from './walk.ts';

/**
 * Checks that a query with aggregates or GROUP BY selects only aggregates, group expressions and constants, as the
 * service demands.
 * @throws {CosmosError} 400
 */
export function checkGrouping(query: Query): void {
  if (query.orderBy.length > 0) throw unsupported('ORDER BY together with aggregates or GROUP BY');
  if (query.select.kind === 'star') throw invalid("'SELECT *' cannot stand with GROUP BY.");
  const groups = new Set(query.groupBy.map(shape));
  for (const expression of selectedExpressions(query.select)) checkSelected(expression, groups);
}

function checkSelected(expression: Expression, groups: ReadonlySet<string>): void {
  if (groups.has(shape(expression))) return;
  if (expression.kind === 'call' && AGGREGATES.has(expression.name)) return;
  if (expression.kind === 'identifier') {
    throw invalid(
      `A reference to '${expression.name}' in the select list is in neither an aggregate function nor GROUP BY.`,
      expression.span,
    );
  }
  for (const part of partsOf(expression)) checkSelected(part, groups);
}

/** An expression as text without its positions: equal for expressions that are written the same way. */
function shape(expression: Expression): string {
  return JSON.stringify(expression, (name, value: unknown) => (name === 'span' ? undefined : value));
}
