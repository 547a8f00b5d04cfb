import type { Source } from '../change/change.ts';
import type { Streams } from '../config.ts';
import type { CounterDocument } from '../store/counters.ts';
import type { Store } from '../store/store.ts';

/** The numbers of one stream, added up over every instance of the app. */
export interface StreamStatus {
  readonly source: string;
  readonly stream: string;
  readonly received: number;
  readonly applied: number;
  readonly duplicate: number;
  readonly stale: number;
  readonly parked: number;
  /** Pieces of split events that were received. */
  readonly segments: number;
  readonly deadLettered: number;
  readonly bytes: number;
  /** Seconds that the newest batch was behind its source; null before the first batch. */
  readonly lagSeconds: number | null;
  /** Split events that lack segments. */
  readonly incompleteEvents: number;
  /** When the oldest of them was first seen; null when there is none. */
  readonly oldestIncompleteAt: string | null;
  /** The change feed's position; null for sources without one. */
  readonly cursor: string | null;
  readonly gaps: number;
  /** When a count last moved. */
  readonly updatedAt: string | null;
}

export interface Status {
  readonly generatedAt: string;
  readonly streams: readonly StreamStatus[];
}

/** Reads the numbers of all configured streams, and of those that have counted before. Throws StoreUnavailableError. */
export async function readStatus(store: Pick<Store, 'counters' | 'segments'>, configured: Streams): Promise<Status> {
  const byStream = new Map<string, { source: string; stream: string; documents: CounterDocument[] }>();
  const entry = (source: string, stream: string) => {
    const name = `${source}/${stream}`;
    const known = byStream.get(name) ?? { source, stream, documents: [] };
    byStream.set(name, known);
    return known;
  };
  for (const { stream } of configured.ces) entry('ces' satisfies Source, stream);
  for (const document of await store.counters.all()) entry(document.source, document.stream).documents.push(document);
  const streams = await Promise.all(
    [...byStream.values()].map(async ({ source, stream, documents }) => {
      const incomplete = source === 'ces' ? await store.segments.incompleteOf(stream) : NOTHING_INCOMPLETE;
      return sum(source, stream, documents, incomplete);
    }),
  );
  return { generatedAt: new Date().toISOString(), streams };
}

const NOTHING_INCOMPLETE = { events: 0, oldest: null };

function sum(
  source: string,
  stream: string,
  documents: readonly CounterDocument[],
  incomplete: { readonly events: number; readonly oldest: string | null },
): StreamStatus {
  const total = (name: string) => documents.reduce((all, { counts }) => all + (counts[name] ?? 0), 0);
  const newest = documents.reduce<CounterDocument | undefined>(
    (latest, each) => (latest === undefined || each.updatedAt > latest.updatedAt ? each : latest),
    undefined,
  );
  return {
    source,
    stream,
    received: total('received'),
    applied: total('applied'),
    duplicate: total('duplicate'),
    stale: total('stale'),
    parked: total('parked'),
    segments: total('segments'),
    deadLettered: total('deadLettered'),
    bytes: total('bytes'),
    lagSeconds: newest?.lagSeconds ?? null,
    incompleteEvents: incomplete.events,
    oldestIncompleteAt: incomplete.oldest,
    cursor: null,
    gaps: total('gaps'),
    updatedAt: newest?.updatedAt ?? null,
  };
}
