import { SEGMENTS_PREFIX, segmentBegin } from './feedPaths.ts';
import type { FeedSource } from './feedSource.ts';

/**
 * The segments after one and up to another, found without listing what lies before: only the folders of the index that
 * can hold such segments are listed, one day, one month or one year at a time, and the next only when it is asked for.
 * However long a feed has run, a tick lists one day's folder, or none.
 */
export interface SegmentRange {
  /** Manifest path after which to begin; undefined for the begin of the feed. It need not exist. */
  readonly after: string | undefined;
  /** Begin of the last segment that counts. */
  readonly through: Date;
}

/** Manifest paths in order. Throws FeedNotEnabledError, FeedUnavailableError. */
export async function* segmentsIn(
  source: FeedSource,
  range: SegmentRange,
  signal?: AbortSignal,
): AsyncIterable<string> {
  for await (const prefix of foldersIn(source, range, signal)) {
    for await (const { name } of source.list(prefix, signal)) {
      if (range.after !== undefined && name <= range.after) continue;
      const begin = segmentBegin(name);
      if (begin !== undefined && begin <= range.through) yield name;
    }
  }
}

async function* foldersIn(source: FeedSource, { after, through }: SegmentRange, signal?: AbortSignal) {
  const last = through.toISOString();
  const [lastYear, lastMonth, lastDay] = [last.slice(0, 4), last.slice(5, 7), last.slice(8, 10)];
  const [year = '', month = '', day = ''] = after?.slice(SEGMENTS_PREFIX.length).split('/') ?? [];
  if (year === lastYear && month === lastMonth) {
    yield `${SEGMENTS_PREFIX}${year}/${month}/${day === lastDay ? `${day}/` : ''}`;
    return;
  }
  const years = year === lastYear ? [`${SEGMENTS_PREFIX}${year}/`] : await source.folders(SEGMENTS_PREFIX, signal);
  for (const folder of years) {
    const name = folder.slice(SEGMENTS_PREFIX.length, -1);
    if (name < year || name > lastYear) continue;
    if (name !== year) yield folder;
    else yield* monthsOf(folder, Number(month), name === lastYear ? Number(lastMonth) : 12);
  }
}

function* monthsOf(yearFolder: string, first: number, last: number): Iterable<string> {
  for (let month = first; month <= last; month++) yield `${yearFolder}${String(month).padStart(2, '0')}/`;
}
