import type { Source } from '../change/change.ts';
import type { Streams } from '../config.ts';
import type { CounterDocument, CounterStore } from '../store/counters.ts';

/** The numbers of one stream, added up over every instance of the app. */
export interface StreamStatus {
  readonly source: string;
  readonly stream: string;
  readonly received: number;
  readonly applied: number;
  readonly duplicate: number;
  readonly stale: number;
  readonly parked: number;
  readonly deadLettered: number;
  readonly bytes: number;
  /** Seconds that the newest batch was behind its source; null before the first batch. */
  readonly lagSeconds: number | null;
  /** When the oldest event that still lacks segments was first seen; null when none does. */
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
export async function readStatus(store: CounterStore, configured: Streams): Promise<Status> {
  const byStream = new Map<string, { source: string; stream: string; documents: CounterDocument[] }>();
  const entry = (source: string, stream: string) => {
    const name = `${source}/${stream}`;
    const known = byStream.get(name) ?? { source, stream, documents: [] };
    byStream.set(name, known);
    return known;
  };
  for (const { stream } of configured.ces) entry('ces' satisfies Source, stream);
  for (const document of await store.all()) entry(document.source, document.stream).documents.push(document);
  return {
    generatedAt: new Date().toISOString(),
    streams: [...byStream.values()].map(({ source, stream, documents }) => sum(source, stream, documents)),
  };
}

function sum(source: string, stream: string, documents: readonly CounterDocument[]): StreamStatus {
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
    deadLettered: total('deadLettered'),
    bytes: total('bytes'),
    lagSeconds: newest?.lagSeconds ?? null,
    oldestIncompleteAt: null,
    cursor: null,
    gaps: total('gaps'),
    updatedAt: newest?.updatedAt ?? null,
  };
}
