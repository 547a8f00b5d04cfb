import type { Container } from '@azure/cosmos';
import type { LiveRow, TruncationDocument, TruncationStorage } from '../ingest/truncationStore.ts';
import type { ChangeStore } from './changes.ts';
import { Queries } from './queries.ts';

/** Truncations that one sweep takes up; the next sweep takes the rest. */
const TRUNCATIONS_PER_SWEEP = 100;

/** What truncations look up in `rows`, `catalog` and `changes`. */
export class TruncationStore implements TruncationStorage {
  readonly #rows: Queries;
  readonly #catalog: Queries;
  readonly #changes: ChangeStore;

  constructor(rows: Container, catalog: Container, changes: ChangeStore) {
    this.#rows = new Queries(rows);
    this.#catalog = new Queries(catalog);
    this.#changes = changes;
  }

  async liveRows(table: string, afterId: string, limit: number): Promise<LiveRow[]> {
    const query = {
      query: `SELECT c.id, c.keys FROM c WHERE c.deleted = false AND c.id > @after ORDER BY c.id OFFSET 0 LIMIT ${limit}`,
      parameters: [{ name: '@after', value: afterId }],
    };
    return this.#rows.all<LiveRow>(query, [table]);
  }

  async unfinishedTruncations(): Promise<TruncationDocument[]> {
    const query = `SELECT * FROM c WHERE c.kind = 'truncation' AND c.emptied = false OFFSET 0 LIMIT ${TRUNCATIONS_PER_SWEEP}`;
    return this.#catalog.all<TruncationDocument>({ query });
  }

  async recordedToken(change: { readonly table: string; readonly key: string; readonly identity: string }) {
    const [recorded] = await this.#changes.recorded([change]);
    return recorded?.token;
  }
}
