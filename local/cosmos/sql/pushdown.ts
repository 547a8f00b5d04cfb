import type { ColumnFilter } from '../documentTable.ts';
import type { Json } from '../json.ts';
import { encodeComponent } from '../partitionKey.ts';
import type { Expression } from './ast.ts';
import { constantOf } from './evaluate.ts';
import { pathFrom } from './path.ts';
import { flatten } from './walk.ts';

const KEY_COLUMNS = ['k0', 'k1', 'k2'] as const;

/** Above this many values a list is filtered here, below SQLite's limit on parameters. */
const MAX_VALUES = 500;

export interface Pushdown {
  /** What SQLite answers from indexed columns. */
  readonly filters: readonly ColumnFilter[];
  /** The conditions that remain to be evaluated on each document; all must be true. */
  readonly residual: readonly Expression[];
}

/**
 * Splits WHERE into equalities of partition key levels and of the id with constants, which become column filters, and
 * the rest. The columns hold exactly the scalar values of those properties, so a pushed condition needs no second look.
 */
export function pushDown(
  where: Expression | undefined,
  alias: string,
  keyPaths: readonly (readonly string[])[],
  parameters: ReadonlyMap<string, Json>,
): Pushdown {
  const filters: ColumnFilter[] = [];
  const residual: Expression[] = [];
  for (const condition of where === undefined ? [] : flatten(where, 'AND')) {
    const filter = toFilter(condition, alias, keyPaths, parameters);
    if (filter === undefined) residual.push(condition);
    else filters.push(filter);
  }
  return { filters, residual };
}

function toFilter(
  condition: Expression,
  alias: string,
  keyPaths: readonly (readonly string[])[],
  parameters: ReadonlyMap<string, Json>,
): ColumnFilter | undefined {
  let subject: Expression;
  let candidates: readonly Expression[];
  if (condition.kind === 'in' && !condition.negated) {
    subject = condition.value;
    candidates = condition.list;
  } else if (condition.kind === 'binary' && condition.operator === '=') {
    const reversed = pathFrom(condition.left, alias) === undefined;
    subject = reversed ? condition.right : condition.left;
    candidates = [reversed ? condition.left : condition.right];
  } else return undefined;
  const path = pathFrom(subject, alias);
  if (path === undefined || candidates.length > MAX_VALUES) return undefined;
  const level = keyPaths.findIndex((key) => key.length === path.length && key.every((name, i) => name === path[i]));
  const column = KEY_COLUMNS[level] ?? (path.length === 1 && path[0] === 'id' ? 'id' : undefined);
  if (column === undefined) return undefined;
  const values: string[] = [];
  for (const candidate of candidates) {
    if (candidate.kind !== 'literal' && candidate.kind !== 'parameter') return undefined;
    const value = constantOf(candidate, parameters);
    if (value === undefined || (typeof value === 'object' && value !== null)) return undefined;
    if (column === 'id' && typeof value !== 'string') return undefined;
    values.push(column === 'id' && typeof value === 'string' ? value : encodeComponent(value));
  }
  return { column, values };
}
