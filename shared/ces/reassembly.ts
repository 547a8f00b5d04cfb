import { UnprocessableError } from '../ingest/reasons.ts';
import { type CesAttributes, inLightOfType } from './attributes.ts';
import type { CesData, CesEnvelope } from './envelope.ts';
import { decodePieces, encodeGeneralised } from './generalisedUtf8.ts';
import { type CesPayload, readPayload } from './payload.ts';

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

const OPEN_BRACE = 0x7b;
const NO_BYTES = new Uint8Array(0);

/** One segment of an event. Everything but the bytes follows from the attributes: see `segmentOf`. */
export interface CesSegment {
  readonly attributes: CesAttributes;
  readonly index: number;
  /** Whether it says that it is the last. */
  readonly final: boolean;
  /** How many segments there are, where the source tells (early previews). */
  readonly total: number | null;
  /** Its part of the record's bytes; half a surrogate pair as in `generalisedUtf8.ts`. */
  readonly bytes: Uint8Array;
}

export type Assembly<S extends CesSegment = CesSegment> =
  /** `attributes` are those of the last segment; `segments` are in order, without duplicates. */
  | {
      readonly state: 'complete';
      readonly attributes: CesAttributes;
      readonly payload: CesPayload;
      readonly segments: readonly S[];
    }
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
  if (segment === undefined || !isFragment) return { payload: readPayloadOf(attributes, () => data) };
  const saysItIsLast = segment.final || (attributes.splittotalcnt ?? Number.POSITIVE_INFINITY) <= 1;
  if (segment.index === 1 && saysItIsLast) {
    const payload = tryPayload(() => data);
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
  const byIndex = new Map<number, S>();
  let total: number | null = null;
  let last: number | undefined;
  let highest = -1;
  for (const segment of given) {
    const known = byIndex.get(segment.index);
    if (known !== undefined && !isSameSegment(known, segment)) return { state: 'conflict', index: segment.index };
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
  if (byIndex.size === last + 1) return complete(inOrder(byIndex, 0, last));
  if (byIndex.size < last || byIndex.has(0)) return { state: 'incomplete' };
  return completeIfWhole(inOrder(byIndex, 1, last));
}

function complete<S extends CesSegment>(segments: readonly S[]): Assembly<S> {
  const attributes = attributesOfLast(segments);
  return { state: 'complete', attributes, payload: readPayloadOf(attributes, () => join(segments)), segments };
}

function completeIfWhole<S extends CesSegment>(segments: readonly S[]): Assembly<S> {
  const payload = tryPayload(() => join(segments));
  if (payload === undefined) return { state: 'incomplete' };
  return { state: 'complete', attributes: attributesOfLast(segments), payload, segments };
}

function inOrder<S>(byIndex: ReadonlyMap<number, S>, first: number, last: number): readonly S[] {
  const segments: S[] = [];
  for (let index = first; index <= last; index++) {
    const segment = byIndex.get(index);
    if (segment !== undefined) segments.push(segment);
  }
  return segments;
}

function attributesOfLast(segments: readonly CesSegment[]): CesAttributes {
  const last = segments.at(-1);
  if (last === undefined) throw new RangeError('an event has at least one segment');
  return last.attributes;
}

function readPayloadOf({ type }: CesAttributes, data: () => CesData): CesPayload {
  try {
    return readPayload(data());
  } catch (error) {
    throw inLightOfType(type, error);
  }
}

/** JSON text where the first byte says that it is JSON, otherwise bytes. */
function join(segments: readonly CesSegment[]): string | Uint8Array {
  const pieces = segments.map(({ bytes }) => bytes);
  return pieces[0]?.[0] === OPEN_BRACE ? decodePieces(pieces) : Buffer.concat(pieces);
}

function tryPayload(data: () => CesData): CesPayload | undefined {
  try {
    return readPayload(data());
  } catch (error) {
    if (error instanceof UnprocessableError) return undefined;
    throw error;
  }
}

function isSameSegment(a: CesSegment, b: CesSegment): boolean {
  return a.final === b.final && a.total === b.total && Buffer.compare(a.bytes, b.bytes) === 0;
}
