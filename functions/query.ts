import type { HttpRequest } from '@azure/functions';
import type { Query } from '../shared/operate/parameters.ts';

/** The query of `request`, free of the trigger. */
export function queryOf({ query }: HttpRequest): Query {
  return (name) => query.get(name);
}
