import { UnprocessableError } from '../ingest/reasons.ts';
import { type CesAttributes, inLightOfType } from './attributes.ts';
import type { CesEnvelope } from './envelope.ts';
import { encodeGeneralised } from './generalisedUtf8.ts';
import { type CesPayload, readJoinedPayload, readPayload } from './payload.ts';

/*
 * The source splits an event that is too large for one message. Each segment is a whole envelope whose `data` is a fragment
 * of the bytes of the `Data` record. Its index counts from 0 in the documentation and from 1 in messages that were captured,
 * and nothing but the last segment says how many there are:
 *
 *   0..F all there                        complete
 *   1..F there, 0 not                     complete if what they hold is a whole record, otherwise 0 is still to come
 *   anything else                         incomplete
 *
 * F is the index of the last segment. The trial is safe: the tail of a record never was a whole record, in JSON because
 * quotes inside are escaped, in Avro because its lengths would have to fit to the last byte.
 *
 * Early previews call the index `splitindex` and send the number of segments instead of marking the last.
 */

const NO_BYTES = new Uint8Array(0);

/** What a segment says of itself. Everything but its attributes follows from them: see `segmentOf`. */
export interface SegmentHead {
  readonly attributes: CesAttributes;
  readonly index: number;
  /** Whether it says that it is the last. */
  readonly final: boolean;
  /** How many segments there are, where the source tells (early previews). */
  readonly total: number | null;
}

/** One segment of an event. */
export interface CesSegment extends SegmentHead {
  /** Its part of the record's bytes; half a surrogate pair as in `generalisedUtf8.ts`. */
  readonly bytes: Uint8Array;
}

export type Assembly<S extends SegmentHead = CesSegment> =
  /** The attributes of the event are those of its last segment. */
  | { readonly state: 'complete'; readonly last: S; readonly payload: CesPayload }
  | { readonly state: 'incomplete' }
  /** Two segments cannot both be right: different content at one index, or an index beyond the last. */
  | { readonly state: 'conflict'; readonly index: number };

/** Either the payload of an event that is whole, or the segment that the envelope is. */
export type OpenedEnvelope =
  | { readonly payload: CesPayload; readonly segment?: undefined }
  | { readonly segment: CesSegment; readonly payload?: undefined };

/**
 * Tells a whole event from a segment. Throws what `readPayload` throws, where the envelope is surely a whole event
 * (`unsupported-type` if it is of a later version). A last segment of index 1 that does not hold a whole record is taken
 * for the second of two.
 */
export function openEnvelope({ attributes, data }: CesEnvelope): OpenedEnvelope {
  const isFragment = typeof data === 'string' || data instanceof Uint8Array;
  const segment = isFragment ? segmentOf(attributes, NO_BYTES) : undefined;
  if (segment === undefined || !isFragment) return { payload: payloadOf(attributes, () => readPayload(data)) };
  const saysItIsLast = segment.final || (attributes.splittotalcnt ?? Number.POSITIVE_INFINITY) <= 1;
  if (segment.index === 1 && saysItIsLast) {
    const payload = tryPayload(() => readPayload(data));
    if (payload !== undefined) return { payload };
  }
  return { segment: { ...segment, bytes: typeof data === 'string' ? encodeGeneralised(data) : data } };
}

/** The segment that `attributes` and its bytes describe, or undefined where they describe an event that was never split. */
export function segmentOf(attributes: CesAttributes, bytes: Uint8Array): CesSegment | undefined {
  const { segmentindex, finalsegment = false, splitindex, splittotalcnt = 0 } = attributes;
  if (segmentindex !== undefined) {
    if (segmentindex === 0 && finalsegment) return undefined;
    return { attributes, index: segmentindex, final: finalsegment, total: null, bytes };
  }
  if (splitindex === undefined || (splitindex === 0 && splittotalcnt <= 1)) return undefined;
  return { attributes, index: splitindex, final: false, total: splittotalcnt === 0 ? null : splittotalcnt, bytes };
}

/**
 * Puts the segments of one event (one `logicalid`) together, whatever their order and however often each is given. Time
 * and memory are linear in their bytes. Throws what `readPayload` throws, where all segments are there for certain and
 * what they hold cannot be read.
 */
export function assemble<S extends CesSegment>(given: Iterable<S>): Assembly<S> {
  const lineUp = linedUp(given, isSameSegment);
  if (lineUp.state !== 'lined-up') return lineUp;
  return opened(lineUp, Buffer.concat(lineUp.segments.map(({ bytes }) => bytes)));
}

/**
 * The same for segments, one of each, whose bytes are joined in the order of their indexes already. `bytes` are used up:
 * nothing else may hold them.
 */
export function assembleJoined<S extends SegmentHead>(given: Iterable<S>, bytes: Uint8Array): Assembly<S> {
  const lineUp = linedUp(given, () => false);
  return lineUp.state === 'lined-up' ? opened(lineUp, bytes) : lineUp;
}

interface LineUp<S> {
  readonly state: 'lined-up';
  /** In order. All that were given. */
  readonly segments: readonly S[];
  /** Whether a segment 0 may still come. */
  readonly isTrial: boolean;
}

function linedUp<S extends SegmentHead>(
  given: Iterable<S>,
  isSame: (a: S, b: S) => boolean,
): LineUp<S> | Exclude<Assembly<S>, { readonly state: 'complete' }> {
  const byIndex = new Map<number, S>();
  let total: number | null = null;
  let last: number | undefined;
  let highest = -1;
  for (const segment of given) {
    const known = byIndex.get(segment.index);
    if (known !== undefined && !isSame(known, segment)) return { state: 'conflict', index: segment.index };
    byIndex.set(segment.index, segment);
    highest = Math.max(highest, segment.index);
    total = segment.total ?? total;
    if (!segment.final) continue;
    if (last !== undefined && last !== segment.index)
      return { state: 'conflict', index: Math.max(last, segment.index) };
    last = segment.index;
  }
  if (last === undefined && total !== null) last = byIndex.has(0) ? total - 1 : total;
  if (last === undefined) return { state: 'incomplete' };
  if (highest > last) return { state: 'conflict', index: highest };
  const isTrial = !byIndex.has(0);
  if (byIndex.size < (isTrial ? last : last + 1)) return { state: 'incomplete' };
  return { state: 'lined-up', segments: [...byIndex.values()].sort((a, b) => a.index - b.index), isTrial };
}

function opened<S extends SegmentHead>({ segments, isTrial }: LineUp<S>, bytes: Uint8Array): Assembly<S> {
  const last = segments.at(-1);
  if (last === undefined) throw new RangeError('an event has at least one segment');
  if (!isTrial) return { state: 'complete', last, payload: payloadOf(last.attributes, () => readJoinedPayload(bytes)) };
  const payload = tryPayload(() => readJoinedPayload(bytes));
  return payload === undefined ? { state: 'incomplete' } : { state: 'complete', last, payload };
}

function payloadOf({ type }: CesAttributes, read: () => CesPayload): CesPayload {
  try {
    return read();
  } catch (error) {
    throw inLightOfType(type, error);
  }
}

function tryPayload(read: () => CesPayload): CesPayload | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnprocessableError) return undefined;
    throw error;
  }
}

function isSameSegment(a: CesSegment, b: CesSegment): boolean {
  return a.final === b.final && a.total === b.total && Buffer.compare(a.bytes, b.bytes) === 0;
}
