import type { Source } from '../change/change.ts';
import { exportToken } from '../changefeed/sdkToken.ts';
import type { Streams } from '../config.ts';
import type { FeedCursor } from '../ingest/cursorStore.ts';
import { lastHour, type MinuteNumbers } from '../ingest/minuteRing.ts';
import type { CounterDocument } from '../store/counters.ts';
import type { Store } from '../store/store.ts';
import type { HubWatch } from './hubs/hubWatch.ts';
import type { PartitionLag } from './hubs/partitionFacts.ts';
import { type TimerStatus, timerStatuses } from './timers.ts';

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
  /** Messages with a mask of columns that could not be used; Qlik only. */
  readonly ignoredMasks: number;
  readonly bytes: number;
  /** Seconds that the newest batch was behind its source; null before the first batch. */
  readonly lagSeconds: number | null;
  /** Split events that lack segments. */
  readonly incompleteEvents: number;
  /** Pieces of split events that are held. */
  readonly pendingSegments: number;
  /** When the oldest of them was first seen; null when there is none. */
  readonly oldestIncompleteAt: string | null;
  /** The change feed's position, as a continuation token of the SDKs; null for other sources and before a first segment. */
  readonly cursor: string | null;
  /** Stretches of the change feed that were lost. */
  readonly gaps: number;
  /** What keeps the stream from moving, or the gap that it has lately gone over. */
  readonly error: string | null;
  /** Records that wait now, and since when the oldest does. */
  readonly parkedNow: number;
  readonly oldestParkedAt: string | null;
  readonly deadLettersNow: number;
  /** What the stream's point operations cost, and how many were refused for want of request units and tried again. */
  readonly requestUnits: number;
  readonly throttled: number;
  /** The last hour, oldest minute first. */
  readonly minutes: readonly MinuteNumbers[];
  /** Instances of the app that counted within the last hour, newest first. */
  readonly instances: readonly { readonly instance: string; readonly updatedAt: string }[];
  /** How the hub's partitions stand; null for other sources, and when the hub does not answer. */
  readonly partitions: readonly PartitionLag[] | null;
  /** When a count last moved. */
  readonly updatedAt: string | null;
}

export interface Status {
  readonly generatedAt: string;
  readonly streams: readonly StreamStatus[];
  readonly timers: readonly TimerStatus[];
  readonly deadLettersTotal: number;
}

/** What the numbers are read from. */
export interface StatusParts {
  readonly store: Pick<Store, 'counters' | 'segments' | 'cursors' | 'parked' | 'deadLetters' | 'timers'>;
  readonly configured: Streams;
  /** Of the `ces` streams, by name. */
  readonly hubs: ReadonlyMap<string, Pick<HubWatch, 'lately'>>;
  /** Since when this process is there, in milliseconds since 1970. */
  readonly upSince: number;
}

/** Reads the numbers of all configured streams, and of those that have counted before. Throws StoreUnavailableError. */
export async function readStatus({ store, configured, hubs, upSince }: StatusParts): Promise<Status> {
  const byStream = new Map<string, { source: Source; stream: string; documents: CounterDocument[] }>();
  const entry = (source: Source, stream: string) => {
    const name = `${source}/${stream}`;
    const known = byStream.get(name) ?? { source, stream, documents: [] };
    byStream.set(name, known);
    return known;
  };
  for (const { stream } of configured.ces) entry('ces', stream);
  for (const { stream } of configured.blob) entry('blob', stream);
  for (const stream of Object.keys(configured.goldengate)) entry('goldengate', stream);
  for (const stream of Object.keys(configured.qlik)) entry('qlik', stream);
  for (const document of await store.counters.all()) entry(document.source, document.stream).documents.push(document);
  const [streams, timers, deadLettersTotal] = await Promise.all([
    Promise.all([...byStream.values()].map((each) => streamStatus({ store, hubs }, each))),
    store.timers.all(),
    store.deadLetters.count({}),
  ]);
  return {
    generatedAt: new Date().toISOString(),
    streams,
    timers: timerStatuses(timers, upSince),
    deadLettersTotal,
  };
}

async function streamStatus(
  { store, hubs }: Pick<StatusParts, 'store' | 'hubs'>,
  { source, stream, documents }: { source: Source; stream: string; documents: readonly CounterDocument[] },
): Promise<StreamStatus> {
  const [incomplete, cursor, waiting, deadLettersNow, partitions] = await Promise.all([
    source === 'ces' ? store.segments.incompleteOf(stream) : NOTHING_INCOMPLETE,
    source === 'blob' ? store.cursors.read(stream) : undefined,
    HTTP_SOURCES.has(source) ? store.parked.waitingOf(source, stream) : NOTHING_WAITS,
    store.deadLetters.count({ source, stream }),
    source === 'ces' ? (hubs.get(stream)?.lately() ?? null) : null,
  ]);
  const feed = feedStatus(cursor?.document);
  const stalled = partitions?.filter((partition) => partition.stalled).map(({ partition }) => partition) ?? [];
  const standstill = stalled.length === 0 ? null : `nothing is taken from partition ${stalled.join(', ')}`;
  return {
    ...sum(source, stream, documents),
    incompleteEvents: incomplete.events,
    pendingSegments: incomplete.segments,
    oldestIncompleteAt: incomplete.oldest,
    parkedNow: waiting.records,
    oldestParkedAt: waiting.oldest,
    deadLettersNow,
    partitions,
    ...feed,
    error: feed.error ?? standstill,
  };
}

const HTTP_SOURCES: ReadonlySet<Source> = new Set(['goldengate', 'qlik']);
const NOTHING_INCOMPLETE = { events: 0, segments: 0, oldest: null };
const NOTHING_WAITS = { records: 0, oldest: null };

/** A gap that was gone over stays in sight so long. */
const GAP_SHOWN_MS = 86_400_000;

function feedStatus(feed: FeedCursor | undefined): Pick<StreamStatus, 'cursor' | 'gaps' | 'error'> {
  if (feed === undefined) return { cursor: null, gaps: 0, error: null };
  const { position, host, gaps, error, lastGap } = feed;
  const isRecent = lastGap !== null && Date.now() - Date.parse(lastGap.seenAt) < GAP_SHOWN_MS;
  return {
    cursor: position === null || host === null ? null : exportToken(position, host),
    gaps,
    error: error ?? (isRecent ? `went on after a gap: ${lastGap.detail}` : null),
  };
}

/** Instances that were quiet for longer are not shown. */
const INSTANCE_SHOWN_MS = 3_600_000;

function sum(source: string, stream: string, documents: readonly CounterDocument[]): Pick<StreamStatus, Summed> {
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
    ignoredMasks: total('ignoredMasks'),
    bytes: total('bytes'),
    lagSeconds: newest?.lagSeconds ?? null,
    requestUnits: documents.reduce((all, { requestUnits }) => all + requestUnits, 0),
    throttled: documents.reduce((all, { throttled }) => all + throttled, 0),
    minutes: lastHour(documents.map(({ minutes }) => minutes)),
    instances: documents
      .filter(({ updatedAt }) => Date.now() - Date.parse(updatedAt) < INSTANCE_SHOWN_MS)
      .map(({ instance, updatedAt }) => ({ instance, updatedAt }))
      .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)),
    updatedAt: newest?.updatedAt ?? null,
  };
}

/** What the counters say. */
type Summed = Exclude<
  keyof StreamStatus,
  | 'incompleteEvents'
  | 'pendingSegments'
  | 'oldestIncompleteAt'
  | 'parkedNow'
  | 'oldestParkedAt'
  | 'deadLettersNow'
  | 'partitions'
  | 'cursor'
  | 'gaps'
  | 'error'
>;
