import type { CatalogStorage } from '../ingest/catalogStore.ts';
import {
  type LoadsDocument,
  loadsId,
  PROGRESS_ID,
  type ProgressDocument,
  type ReplayDocument,
  replayId,
  type TableLoad,
} from './catalogDocuments.ts';
import { later, NO_SEQUENCE } from './sequence.ts';

/** A full load's rows follow each other; a longer pause between two means that the second belongs to another load. */
export const LOAD_PAUSE_MS = 15 * 60 * 1000;
/** Loads remembered per table: rows that had to wait may belong to any of them. */
const MAX_LOADS = 50;

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

export type Load = Pick<TableLoad, 'load' | 'base'>;

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
   * far the stream has come. Returns the load of each row of one. Throws StoreUnavailableError.
   */
  async record(sightings: readonly Sighting[]): Promise<ReadonlyMap<Sighting, Load>> {
    let greatest = NO_SEQUENCE;
    const loads = new Map<Sighting, Load>();
    // Rows of one request belong to one load of their table; rows that waited come from many.
    const ofRequests = new Map<string, Load>();
    for (const sighting of sightings) {
      if (sighting.kind === 'captured') {
        greatest = later(greatest, sighting.sequence);
        continue;
      }
      const request = `${sighting.arrivedMs} ${sighting.table}`;
      const load = ofRequests.get(request) ?? (await this.#loadOf(sighting, greatest));
      ofRequests.set(request, load);
      loads.set(sighting, load);
    }
    await this.#raise(greatest);
    return loads;
  }

  /** The greatest sequence that is known to have been shown. Throws StoreUnavailableError. */
  async greatest(): Promise<string> {
    const stored = await this.#storage.read<ProgressDocument>(this.#stream, PROGRESS_ID);
    return stored?.document.greatestSequence ?? NO_SEQUENCE;
  }

  /**
   * The greatest sequence of the records that waited for `waitingFor` and have been replayed: they came before those
   * that still wait, and a crash must not make that forgotten. Throws StoreUnavailableError.
   */
  async replayed(waitingFor: string): Promise<string> {
    const stored = await this.#storage.read<ReplayDocument>(this.#stream, replayId(waitingFor));
    return stored?.document.shown ?? NO_SEQUENCE;
  }

  /** Notes what `replayed` tells. Throws StoreUnavailableError. */
  async noteReplayed(waitingFor: string, shown: string): Promise<void> {
    const id = replayId(waitingFor);
    for (;;) {
      const stored = await this.#storage.read<ReplayDocument>(this.#stream, id);
      if ((stored?.document.shown ?? NO_SEQUENCE) >= shown) return;
      const document: ReplayDocument = { id, stream: this.#stream, kind: 'qlik-replay', waitingFor, shown };
      if ((await this.#storage.write(document, stored?.etag)) === 'written') return;
    }
  }

  /** The load that a row belongs to, after messages beside it that had shown `beside`. */
  async #loadOf({ table, arrivedMs, shown }: Extract<Sighting, { kind: 'load' }>, beside: string): Promise<Load> {
    const id = loadsId(table);
    const arrivedAt = new Date(arrivedMs).toISOString();
    for (;;) {
      const stored = await this.#storage.read<LoadsDocument>(this.#stream, id);
      const known = stored?.document.loads ?? [];
      const same = loadAround(known, arrivedMs);
      if (same !== undefined && same.startedAt <= arrivedAt && same.lastRowAt >= arrivedAt) return same;
      const load = same ?? {
        load: Math.max(0, ...known.map((each) => each.load)) + 1,
        base: [beside, shown ?? (await this.greatest()), ...basesBefore(known, arrivedAt)].reduce(later),
        startedAt: arrivedAt,
        lastRowAt: arrivedAt,
      };
      const [startedAt = arrivedAt] = [load.startedAt, arrivedAt].sort();
      const seen: TableLoad = { ...load, startedAt, lastRowAt: later(load.lastRowAt, arrivedAt) };
      const loads = [...known.filter((each) => each !== same), seen].sort((a, b) =>
        a.startedAt < b.startedAt ? -1 : 1,
      );
      const document: LoadsDocument = {
        id,
        stream: this.#stream,
        kind: 'qlik-loads',
        table,
        loads: loads.slice(-MAX_LOADS),
      };
      if ((await this.#storage.write(document, stored?.etag)) === 'written') return seen;
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

/**
 * The load that a row belongs to which arrived at `arrivedMs`: the one whose last row it follows closely, else the one
 * whose first row follows it. A row that had to wait may belong to an older load than the latest.
 */
function loadAround(loads: readonly TableLoad[], arrivedMs: number): TableLoad | undefined {
  const started = loads.findLast(({ startedAt }) => Date.parse(startedAt) <= arrivedMs);
  if (started !== undefined && arrivedMs - Date.parse(started.lastRowAt) <= LOAD_PAUSE_MS) return started;
  const next = loads.find(({ startedAt }) => Date.parse(startedAt) > arrivedMs);
  return next !== undefined && Date.parse(next.startedAt) - arrivedMs <= LOAD_PAUSE_MS ? next : undefined;
}

function basesBefore(loads: readonly TableLoad[], time: string): string[] {
  return loads.filter(({ startedAt }) => startedAt < time).map(({ base }) => base);
}
