/**
 * The paths of a change feed. A segment's path is its begin, to the minute: begins need not stand on the hour. In text
 * order such paths are in the order of time.
 */
export const SEGMENTS_INFO = 'meta/segments.json';
export const SEGMENTS_PREFIX = 'idx/segments/';

const SEGMENT_PATH = /^idx\/segments\/(\d{4})\/(\d{2})\/(\d{2})\/(\d{2})(\d{2})\/meta\.json$/;
const CHUNK_PATH = /^(log\/.+\/)[^/]+\.avro$/;

/** The year of the segment that the service makes when the feed is switched on; it is always empty. */
const INITIAL_YEAR = '1601';

/** Begin of the segment whose manifest is at `path`; undefined for any other path and for the initial segment. */
export function segmentBegin(path: string): Date | undefined {
  const [, year, month, day, hour, minute] = SEGMENT_PATH.exec(path) ?? [];
  if (year === undefined || year === INITIAL_YEAR) return undefined;
  const begin = new Date(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
  return Number.isNaN(begin.getTime()) ? undefined : begin;
}

/** The path of the manifest of the segment that begins at `begin`, or would. */
export function segmentPath(begin: Date): string {
  const text = begin.toISOString();
  return `${SEGMENTS_PREFIX}${dayOf(text)}${text.slice(11, 13)}${text.slice(14, 16)}/meta.json`;
}

/** `2026/08/07/` of an ISO 8601 time. */
function dayOf(text: string): string {
  return `${text.slice(0, 4)}/${text.slice(5, 7)}/${text.slice(8, 10)}/`;
}

/** The prefix of the chunks that `path` is one of; undefined for a path that is no chunk's. */
export function shardOfChunk(path: string): string | undefined {
  return CHUNK_PATH.exec(path)?.[1];
}

/** Whether `name` is a chunk directly under the prefix `shard`. */
export function isChunkOf(shard: string, name: string): boolean {
  return shardOfChunk(name) === shard;
}

/** Manifests name prefixes with the container in front. */
export function withoutContainer(path: string): string {
  return path.replace(/^\$blobchangefeed\//, '');
}
