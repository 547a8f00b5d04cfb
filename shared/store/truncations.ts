import type { Container } from '@azure/cosmos';
import { type HoldsPointers, revived } from '../change/largeValue.ts';
import type { LiveRow, TruncationDocument, TruncationStorage } from '../ingest/truncationStore.ts';
import type { ChangeStore } from './changes.ts';
import { Queries } from './queries.ts';

/** Truncations that one sweep takes up; the next sweep takes the rest. */
const TRUNCATIONS_PER_SWEEP = 100;

/** What truncations look up in `rows`, `catalog` and `changes`. */
export class TruncationStore implements TruncationStorage {
  readonly #rows: Queries;
  readonly #catalog: Queries;
  readonly #changes: Queries;
  readonly #changeStore: ChangeStore;

  constructor(rows: Container, catalog: Container, changes: Container, changeStore: ChangeStore) {
    this.#rows = new Queries(rows);
    this.#catalog = new Queries(catalog);
    this.#changes = new Queries(changes);
    this.#changeStore = changeStore;
  }

  async liveRows(table: string, afterId: string, limit: number): Promise<LiveRow[]> {
    const query = {
      query: `SELECT c.id, c.keys, c.largeValues FROM c WHERE c.deleted = false AND c.id > @after ORDER BY c.id OFFSET 0 LIMIT ${limit}`,
      parameters: [{ name: '@after', value: afterId }],
    };
    return (await this.#rows.all<LiveRow & HoldsPointers>(query, [table])).map(revived);
  }

  async unfinishedTruncations(): Promise<TruncationDocument[]> {
    const query = `SELECT * FROM c WHERE c.kind = 'truncation' AND c.emptied = false OFFSET 0 LIMIT ${TRUNCATIONS_PER_SWEEP}`;
    return this.#catalog.all<TruncationDocument>({ query });
  }

  async newestToken(table: string, beginning: string): Promise<string | undefined> {
    const query = {
      query: 'SELECT VALUE c.token FROM c WHERE STARTSWITH(c.token, @beginning) ORDER BY c.token DESC OFFSET 0 LIMIT 1',
      parameters: [{ name: '@beginning', value: beginning }],
    };
    const [newest] = await this.#changes.all<string>(query, [table]);
    return newest;
  }

  async recordedToken(change: { readonly table: string; readonly key: string; readonly identity: string }) {
    const [recorded] = await this.#changeStore.recorded([change]);
    return recorded?.token;
  }
}
