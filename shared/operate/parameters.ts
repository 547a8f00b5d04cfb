import { z } from 'zod';
import { DEAD_LETTER_REASONS } from '../ingest/reasons.ts';
import type { DeadLetterFilter } from '../store/deadLetterFilter.ts';
import { QueryError } from './queryError.ts';
import type { ReplayRequest } from './replayPages.ts';

/** The query of a request, name by name; null where it has none. */
export type Query = (name: string) => string | null;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const MAX_IDS = 1_000;

const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

const filter = z.strictObject({
  stream: z.string().min(1).optional(),
  source: z.enum(['ces', 'blob', 'goldengate', 'qlik']).optional(),
  reason: z.enum(Object.keys(DEAD_LETTER_REASONS)).optional(),
  from: moment.optional(),
  to: moment.optional(),
});

const continuation = z.string().min(1).nullable().default(null);

const replayOfIds = z.strictObject({
  ids: z.array(z.strictObject({ stream: z.string().min(1), id: z.string().min(1) })).max(MAX_IDS),
  force: z.boolean().default(false),
  continuation,
});

const replayOfFilter = z.strictObject({ filter, force: z.boolean().default(false), continuation });

/** A parameter that must be there. Throws QueryError. */
export function required(query: Query, name: string): string {
  const value = query(name);
  if (value === null || value === '') throw new QueryError(`the parameter ${name} is missing`);
  return value;
}

/** How many items a page may have. Throws QueryError. */
export function limitOf(query: Query): number {
  const text = query('limit');
  if (text === null || text === '') return DEFAULT_LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new QueryError(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
}

export function continuationOf(query: Query): string | null {
  return query('continuation') || null;
}

/** Throws QueryError. */
export function filterOf(query: Query): DeadLetterFilter {
  const given = Object.keys(filter.shape).flatMap((name) => {
    const value = query(name);
    return value === null || value === '' ? [] : [[name, value]];
  });
  return toFilter(parsed(filter, Object.fromEntries(given)));
}

/** Throws QueryError. */
export function replayRequestOf(body: unknown): ReplayRequest {
  if (typeof body === 'object' && body !== null && 'ids' in body) {
    const { ids, ...how } = parsed(replayOfIds, body);
    return { which: { ids }, ...how };
  }
  const { filter: given, ...how } = parsed(replayOfFilter, body);
  return { which: { filter: toFilter(given) }, ...how };
}

function toFilter(given: z.output<typeof filter>): DeadLetterFilter {
  const { stream, source, reason, from, to } = given;
  return {
    ...(stream === undefined ? {} : { stream }),
    ...(source === undefined ? {} : { source }),
    ...(reason === undefined ? {} : { reason }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  throw new QueryError(problems.join('; '), { cause: result.error });
}
