import type { DeadLetterFilter } from '../store/deadLetterFilter.ts';
import type { DeadLetterStore } from '../store/deadLetters.ts';
import { QueryError } from './queryError.ts';

/** Work of one call: the caller asks again for the rest. */
const LETTERS_PER_CALL = 2_000;
const LETTERS_PER_PAGE = 200;

/**
 * Deletes dead letters, in the order in which their records came. A filter that says nothing is refused: nobody deletes
 * everything by leaving a parameter out. Throws QueryError, StoreUnavailableError.
 */
export async function purgeDeadLetters(
  store: DeadLetterStore,
  filter: DeadLetterFilter,
): Promise<{ readonly deleted: number; readonly remaining: number }> {
  if (Object.keys(filter).length === 0)
    throw new QueryError('name at least one of stream, source, reason, from and to');
  let deleted = 0;
  for (let looked = 0; looked < LETTERS_PER_CALL; ) {
    const { items } = await store.list(filter, { limit: LETTERS_PER_PAGE, continuation: null, order: 'turn' });
    if (items.length === 0) return { deleted, remaining: 0 };
    deleted += await store.purge(items);
    looked += items.length;
  }
  return { deleted, remaining: await store.count(filter) };
}
