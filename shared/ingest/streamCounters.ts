import type { Source } from '../change/change.ts';
import type { CounterDocument, CounterStore } from '../store/counters.ts';
import type { Outcome } from './delivery.ts';

/** What is counted per stream. */
export interface Counts {
  received: number;
  applied: number;
  duplicate: number;
  stale: number;
  parked: number;
  /** Pieces of split events. */
  segments: number;
  deadLettered: number;
  bytes: number;
}

/**
 * What this instance did for one stream, counted in memory and saved at most once per batch. Saves do not pile up: a
 * batch that ends while a save is under way waits for that one and saves what has come since, together with every
 * other batch that waits.
 */
export class StreamCounters {
  readonly #store: CounterStore;
  readonly #identity: Pick<CounterDocument, 'id' | 'kind' | 'stream' | 'source' | 'instance' | 'startedAt'>;
  readonly #counts: Counts = {
    received: 0,
    applied: 0,
    duplicate: 0,
    stale: 0,
    parked: 0,
    segments: 0,
    deadLettered: 0,
    bytes: 0,
  };
  #lagSeconds: number | null = null;
  #saving: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(store: CounterStore, source: Source, stream: string, instance: string) {
    this.#store = store;
    const startedAt = new Date().toISOString();
    this.#identity = {
      id: `counters:${source}:${stream}:${instance}`,
      kind: 'counters',
      stream,
      source,
      instance,
      startedAt,
    };
  }

  /** Counts a batch. `newestEventAt` is when its newest event came into being, ISO 8601, where that is known. */
  count(outcomes: readonly Outcome[], bytes: number, newestEventAt: string | null): void {
    this.#counts.received += outcomes.length;
    this.#counts.bytes += bytes;
    for (const { outcome } of outcomes) this.#counts[outcome === 'segment' ? 'segments' : outcome]++;
    if (newestEventAt !== null) this.#lagSeconds = Math.max(0, (Date.now() - Date.parse(newestEventAt)) / 1000);
  }

  /** Resolves when all that was counted before the call is saved. Throws StoreUnavailableError. */
  async save(): Promise<void> {
    if (this.#saving === undefined) return this.#start();
    this.#next ??= this.#saving.catch(() => undefined).then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = undefined;
    this.#saving = this.#store.save(this.#document()).finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  #document(): CounterDocument {
    return {
      ...this.#identity,
      updatedAt: new Date().toISOString(),
      counts: { ...this.#counts },
      lagSeconds: this.#lagSeconds,
    };
  }
}
