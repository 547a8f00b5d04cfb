import type { CatalogStorage } from '../ingest/catalogStore.ts';
import { type LoadDocument, loadId, PROGRESS_ID, type ProgressDocument } from './catalogDocuments.ts';
import { later, NO_SEQUENCE } from './sequence.ts';

/** A full load's rows follow each other; a longer pause between two means that the second belongs to another load. */
const LOAD_PAUSE_MS = 15 * 60 * 1000;

/** What one message means for loads: a captured change shows its sequence, a row of a load belongs to its table's load. */
export type Sighting =
  | { readonly kind: 'captured'; readonly sequence: string }
  | {
      readonly kind: 'load';
      /** `<schema>.<table>`. */
      readonly table: string;
      /** When the row first arrived, milliseconds since 1970. */
      readonly arrivedMs: number;
      /** The greatest sequence that the stream had shown by then; only of a row that had to wait. */
      readonly shown?: string;
    };

export type Load = Pick<LoadDocument, 'load' | 'base'>;

/**
 * Full loads of one stream. Rows of a load have no place among the captured changes; they get one from when their load
 * began: after everything that the stream had shown until then, and before everything later. So changes captured while a
 * load runs win over its rows, and a reload overwrites what came before it. That the messages of a load say nothing of
 * its beginning is why it is told by the clock.
 */
export class Loads {
  readonly #storage: CatalogStorage;
  readonly #stream: string;
  /** What is known to be stored: it only grows. */
  #stored = NO_SEQUENCE;

  constructor(storage: CatalogStorage, stream: string) {
    this.#storage = storage;
    this.#stream = stream;
  }

  /**
   * Records what messages, in the order in which they arrived, say: which load the rows of each table belong to, and how
   * far the stream has come. Returns the load of each table. Throws StoreUnavailableError.
   */
  async record(sightings: readonly Sighting[]): Promise<ReadonlyMap<string, Load>> {
    let greatest = NO_SEQUENCE;
    const loads = new Map<string, Load>();
    for (const sighting of sightings) {
      if (sighting.kind === 'captured') greatest = later(greatest, sighting.sequence);
      else if (!loads.has(sighting.table)) loads.set(sighting.table, await this.#loadOf(sighting, greatest));
    }
    await this.#raise(greatest);
    return loads;
  }

  /** The greatest sequence that is known to have been shown. Throws StoreUnavailableError. */
  async greatest(): Promise<string> {
    const stored = await this.#storage.read<ProgressDocument>(this.#stream, PROGRESS_ID);
    return stored?.document.greatestSequence ?? NO_SEQUENCE;
  }

  /** The load that a row belongs to, after messages beside it that had shown `beside`. */
  async #loadOf({ table, arrivedMs, shown }: Extract<Sighting, { kind: 'load' }>, beside: string): Promise<Load> {
    const id = loadId(table);
    const arrivedAt = new Date(arrivedMs).toISOString();
    for (;;) {
      const stored = await this.#storage.read<LoadDocument>(this.#stream, id);
      const last = stored?.document;
      const isSame = last !== undefined && arrivedMs - Date.parse(last.lastRowAt) <= LOAD_PAUSE_MS;
      if (isSame && last.lastRowAt >= arrivedAt) return last;
      const document: LoadDocument = isSame
        ? { ...withoutSystemProperties(last), lastRowAt: arrivedAt }
        : {
            id,
            stream: this.#stream,
            kind: 'qlik-load',
            table,
            load: (last?.load ?? 0) + 1,
            base: [beside, shown ?? (await this.greatest()), last?.base ?? NO_SEQUENCE].reduce(later),
            startedAt: arrivedAt,
            lastRowAt: arrivedAt,
          };
      if ((await this.#storage.write(document, stored?.etag)) === 'written') return document;
    }
  }

  async #raise(greatest: string): Promise<void> {
    while (greatest > this.#stored) {
      const stored = await this.#storage.read<ProgressDocument>(this.#stream, PROGRESS_ID);
      const known = stored?.document.greatestSequence ?? NO_SEQUENCE;
      const document: ProgressDocument = {
        id: PROGRESS_ID,
        stream: this.#stream,
        kind: 'qlik-progress',
        greatestSequence: greatest,
      };
      if (known >= greatest || (await this.#storage.write(document, stored?.etag)) === 'written') {
        this.#stored = later(known, greatest);
      }
    }
  }
}

/** What the service adds to a document does not go back into it. */
function withoutSystemProperties(document: LoadDocument): LoadDocument {
  const { id, stream, kind, table, load, base, startedAt, lastRowAt } = document;
  return { id, stream, kind, table, load, base, startedAt, lastRowAt };
}
