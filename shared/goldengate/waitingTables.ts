/** What one process does about the records of one stream that wait, over all of its requests. */
export class WaitingTables {
  readonly #configured: ReadonlySet<string>;
  readonly #unreleased: Set<string>;
  readonly #last = new Map<string, Promise<void>>();

  /** `configured`: tables whose key the settings name. */
  constructor(configured: Iterable<string>) {
    this.#configured = new Set(configured);
    this.#unreleased = new Set(this.#configured);
  }

  isConfigured(table: string): boolean {
    return this.#configured.has(table);
  }

  /**
   * Those of `tables` whose key the settings name while nothing that waits for them was replayed in this process yet. Their
   * records may have been parked before the settings did so, and nothing comes that would tell that they can go. What an
   * instance with older settings parks from now on is for the sweep.
   */
  unreleased(tables: readonly string[]): Iterable<string> {
    if (this.#unreleased.size === 0) return [];
    return new Set(tables.filter((table) => this.#unreleased.has(table)));
  }

  /**
   * Runs `replay`, which replays all that waits for `table`, when no other one in this process does: they would do, and
   * count, the same work. Throws what `replay` throws.
   */
  async release(table: string, replay: () => Promise<void>): Promise<void> {
    const before = this.#last.get(table);
    const turn = Promise.withResolvers<void>();
    this.#last.set(table, turn.promise);
    try {
      await before;
      await replay();
      this.#unreleased.delete(table);
    } finally {
      turn.resolve();
      if (this.#last.get(table) === turn.promise) this.#last.delete(table);
    }
  }
}
