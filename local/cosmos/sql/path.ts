import type { Expression } from './ast.ts';

/** The property names of `alias.a.b['c']`, or `undefined` for any other expression. */
export function pathFrom(expression: Expression, alias: string): string[] | undefined {
  const names: string[] = [];
  let current = expression;
  while (current.kind === 'member') {
    if (current.property.kind !== 'literal' || typeof current.property.value !== 'string') return undefined;
    names.push(current.property.value);
    current = current.object;
  }
  return current.kind === 'identifier' && current.name === alias ? names.reverse() : undefined;
}
