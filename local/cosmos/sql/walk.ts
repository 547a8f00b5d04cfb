import type { Expression, Query, Selection } from './ast.ts';

export function selectedExpressions(select: Selection): readonly Expression[] {
  if (select.kind === 'star') return [];
  return select.kind === 'value' ? [select.expression] : select.items.map((item) => item.expression);
}

/** The operands of a chain of one logical operator: long chains must not be walked by recursion. */
export function flatten(expression: Expression, operator: 'AND' | 'OR'): Expression[] {
  const operands: Expression[] = [];
  let current = expression;
  while (current.kind === 'binary' && current.operator === operator) {
    operands.push(current.right);
    current = current.left;
  }
  operands.push(current);
  return operands.reverse();
}

/** The expressions directly inside another one. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'identifier':
      return [];
    case 'member':
      return [expression.object, expression.property];
    case 'unary':
      return [expression.operand];
    case 'binary': {
      const { operator, left, right } = expression;
      return operator === 'AND' || operator === 'OR' ? flatten(expression, operator) : [left, right];
    }
    case 'in':
      return [expression.value, ...expression.list];
    case 'between':
      return [expression.value, expression.low, expression.high];
    case 'like':
      return [expression.value];
    case 'call':
      return expression.args;
    case 'conditional':
      return [expression.condition, expression.then, expression.otherwise];
    case 'object':
      return expression.entries.map(([, value]) => value);
    case 'array':
      return expression.items;
  }
}

/**
 * Whether a query looks at the system properties (`_ts`, `_etag`, …) of its documents: by name, by a computed name, or
 * by using a document as a whole. Making them up for each document costs more than parsing it.
 */
export function usesSystemProperties(query: Query): boolean {
  const expressions = [...selectedExpressions(query.select), ...query.groupBy];
  expressions.push(...query.joins.map((join) => join.source), ...query.orderBy.map((item) => item.expression));
  if (query.where !== undefined) expressions.push(query.where);
  const wholeDocument = query.select.kind === 'star' && query.distinct;
  return wholeDocument || expressions.some((expression) => seesSystemProperties(expression, query.alias));
}

function seesSystemProperties(expression: Expression, alias: string): boolean {
  if (expression.kind === 'identifier') return expression.name === alias;
  if (expression.kind === 'member' && expression.object.kind === 'identifier' && expression.object.name === alias) {
    const { property } = expression;
    return property.kind !== 'literal' || (typeof property.value === 'string' && property.value.startsWith('_'));
  }
  return partsOf(expression).some((part) => seesSystemProperties(part, alias));
}
