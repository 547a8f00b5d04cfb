import type { DeadLetterReason } from '../ingest/reasons.ts';
import type { Manifest, SplitEventKey } from '../ingest/segmentStore.ts';
import type { DeliveredPiece } from './piece.ts';

/** What a split event may take, and how long its traces stay. */
export interface SplitEventLimits {
  readonly segmentsPerEvent: number;
  readonly bytesPerEvent: number;
  /** Time-out of an incomplete event. */
  readonly timeoutMs: number;
}

/** A late duplicate of a complete event is recognised for this long, and a dead one takes pieces in. */
const SETTLED_TTL_SECONDS = 7 * 86_400;
const MS_PER_SECOND = 1_000;

/** Segments and incomplete manifests outlive the time-out, so that the sweep sees them before the TTL takes them. */
export function pendingTtl({ timeoutMs }: SplitEventLimits): number {
  return Math.ceil(timeoutMs / MS_PER_SECOND) + SETTLED_TTL_SECONDS;
}

/** `manifest`, or a new one, with `pieces` listed. */
export function withPieces(
  key: SplitEventKey,
  manifest: Manifest | undefined,
  pieces: readonly DeliveredPiece[],
  limits: SplitEventLimits,
): Manifest {
  const now = new Date().toISOString();
  const segments = new Map(Object.entries(manifest?.segments ?? {}));
  let { final = null, total = null, bytes = 0 } = manifest ?? {};
  for (const piece of pieces) {
    if (segments.has(String(piece.index))) continue;
    segments.set(String(piece.index), piece.contentHash);
    bytes += piece.bytes.byteLength;
    // Of two that both say they are the last, the lower counts: then the higher one is beyond it, and shows as a conflict.
    if (piece.final) final = Math.min(final ?? piece.index, piece.index);
    total = piece.total ?? total;
  }
  return {
    kind: 'manifest',
    ...key,
    state: 'incomplete',
    final,
    total,
    segments: Object.fromEntries(segments),
    bytes,
    ...(manifest?.life === undefined ? {} : { life: manifest.life }),
    stored: true,
    firstSeenAt: manifest?.firstSeenAt ?? now,
    updatedAt: now,
    ttl: pendingTtl(limits),
  };
}

/** The manifest of an event that is settled: a change, or a dead letter. */
export function settled(manifest: Manifest, state: 'complete' | 'dead', reason?: DeadLetterReason): Manifest {
  return { ...manifest, state, ...(reason === undefined ? {} : { reason }), ttl: SETTLED_TTL_SECONDS };
}

/** The manifest of a dead event that gets another chance: nothing has come yet, and the time-out begins anew. */
export function revived({ reason: _, ...manifest }: Manifest, limits: SplitEventLimits): Manifest {
  const now = new Date().toISOString();
  return {
    ...manifest,
    state: 'incomplete',
    final: null,
    total: null,
    segments: {},
    bytes: 0,
    life: (manifest.life ?? 0) + 1,
    firstSeenAt: now,
    updatedAt: now,
    ttl: pendingTtl(limits),
  };
}

/** Under which key the segments of the event's present life lie. */
export function segmentsKey(key: SplitEventKey, manifest: Pick<Manifest, 'life'> | undefined): SplitEventKey {
  const life = manifest?.life ?? 0;
  return life === 0 ? key : { ...key, scope: `${key.scope}~${life}` };
}

/** Whether `pieces` contradict each other or what is listed: one index, two contents. */
export function contradicts(manifest: Manifest | undefined, pieces: readonly DeliveredPiece[]): boolean {
  const hashes = new Map(Object.entries(manifest?.segments ?? {}));
  return pieces.some(({ index, contentHash }) => {
    const known = hashes.get(String(index));
    hashes.set(String(index), known ?? contentHash);
    return known !== undefined && known !== contentHash;
  });
}

export function exceeds({ segments, bytes }: Manifest, limits: SplitEventLimits): boolean {
  return Object.keys(segments).length > limits.segmentsPerEvent || bytes > limits.bytesPerEvent;
}

/** Whether it is worth reading the segments: as many are listed as an event has that counts from 1. */
export function mayBeComplete({ final, total, segments }: Manifest): boolean {
  const needed = total ?? final;
  return needed !== null && Object.keys(segments).length >= needed;
}

export function indexesOf(manifest: Manifest): number[] {
  return Object.keys(manifest.segments).map(Number);
}
