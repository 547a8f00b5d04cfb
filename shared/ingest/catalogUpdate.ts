import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../store/errors.ts';
import { backoffMs } from '../store/operations.ts';
import type { CatalogDocument, CatalogStorage } from './catalogStore.ts';

const MAX_ROUNDS = 50;

/**
 * Reads a catalog document and writes what `change` makes of it, again from the start if somebody else wrote it in
 * between. `change` gets undefined where there is no document and returns undefined where nothing is to be written.
 * Returns the document as it then stands. Throws StoreUnavailableError and what `change` throws.
 */
export async function updateCatalog<Document extends CatalogDocument>(
  storage: CatalogStorage,
  stream: string,
  id: string,
  change: (stored: Document | undefined) => Document | undefined,
): Promise<Document | undefined> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (round > 0) await delay(backoffMs(round));
    const stored = await storage.read<Document>(stream, id);
    const changed = change(stored?.document);
    if (changed === undefined) return stored?.document;
    if ((await storage.write(changed, stored?.etag)) === 'written') return changed;
  }
  throw new StoreUnavailableError(`a catalog entry was written by others ${MAX_ROUNDS} times in a row`);
}
