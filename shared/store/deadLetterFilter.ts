import type { Source } from '../change/change.ts';

/** Which dead letters; what is absent does not matter. */
export interface DeadLetterFilter {
  readonly stream?: string;
  readonly source?: Source;
  readonly reason?: string;
  /** Received at or after, and before; ISO 8601 in UTC. */
  readonly from?: string;
  readonly to?: string;
}

/** `newest`: by the time of receipt, latest first. `turn`: as the records first came, see `turnOf`. */
export type DeadLetterOrder = 'newest' | 'turn';

/** Where a list goes on. */
interface Rest {
  readonly order: DeadLetterOrder;
  readonly after: string;
}

const CONDITIONS = {
  stream: 'c.stream = @stream',
  source: 'c.source = @source',
  reason: 'c.reason = @reason',
  from: 'c.receivedAt >= @from',
  to: 'c.receivedAt < @to',
} as const satisfies { [Name in keyof DeadLetterFilter]-?: string };

/** The `WHERE` of a query for `filter`, empty where everything matters, and its parameters. */
export function conditionOf(filter: DeadLetterFilter, rest?: Rest) {
  const given = Object.entries(filter).filter((entry): entry is [keyof DeadLetterFilter, string] => {
    return entry[1] !== undefined;
  });
  const conditions = given.map(([name]) => CONDITIONS[name]);
  const parameters = given.map(([name, value]) => ({ name: `@${name}`, value }));
  if (rest === undefined) return { where: whereOf(conditions), parameters };
  const beyond = rest.order === 'newest' ? 'c.place < @after' : 'c.turn > @after';
  return {
    where: whereOf([...conditions, beyond]),
    parameters: [...parameters, { name: '@after', value: rest.after }],
  };
}

/** What a list in `order` is sorted by. */
export function orderClauseOf(order: DeadLetterOrder): string {
  return order === 'newest' ? 'c.place DESC' : 'c.turn ASC';
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}
