import type { JsonValue } from '../change/json.ts';
import type { DeadLetterReason } from './reasons.ts';

/** What names one split event: its `logicalid`, and what keeps equal ones of different streams and epochs apart. */
export interface SplitEventKey {
  readonly scope: string;
  readonly stream: string;
  readonly logicalId: string;
}

/** A document of the container `segments`: one piece of a split event, durable until the event is complete. */
export interface StoredSegment extends SplitEventKey {
  readonly kind: 'segment';
  /** As the source numbers it, from 0 or from 1. */
  readonly index: number;
  /** Hash of what the segment says, not of its envelope: a segment that is sent again may have another `id`. */
  readonly contentHash: string;
  /** The event of the hub as it came, base64. */
  readonly bytes: string;
  readonly position: { readonly [name: string]: JsonValue };
  readonly ttl: number;
}

/**
 * A document of the container `segments`: what is known of one split event. `incomplete`: its segments are beside it.
 * `complete`: it became a change; kept so that a late duplicate starts nothing. `dead`: it became a dead letter, which
 * later pieces join.
 */
export interface Manifest extends SplitEventKey {
  readonly kind: 'manifest';
  readonly state: 'incomplete' | 'complete' | 'dead';
  readonly reason?: DeadLetterReason;
  /** Index of the segment marked as the last one; null until it has come. */
  readonly final: number | null;
  /** Number of segments, where the source tells (early previews). */
  readonly total: number | null;
  /** Index -> hash of the content. */
  readonly segments: { readonly [index: string]: string };
  /** Size of the event as far as it has come: the sum of what its segments carry. */
  readonly bytes: number;
  /**
   * How often the event was given up and taken up again. Segments of each life lie apart, so that whoever still clears
   * those of an earlier one away does not touch those of a later; absent in the first.
   */
  readonly life?: number;
  /** Whether segments were ever written beside this manifest: then they have to be deleted. */
  readonly stored: boolean;
  readonly firstSeenAt: string;
  readonly updatedAt: string;
  readonly ttl: number;
}

export interface ManifestVersion {
  readonly manifest: Manifest;
  readonly etag: string;
}

/** Where split events wait for their segments. Every method throws StoreUnavailableError. */
export interface SegmentStorage {
  /** In the order of `keys`; undefined where there is none. */
  readManifests(keys: readonly SplitEventKey[]): Promise<(ManifestVersion | undefined)[]>;
  /** Writes a manifest if it is still the version that was read; undefined: if there is none. */
  writeManifest(manifest: Manifest, etag: string | undefined): Promise<'written' | 'conflict'>;
  /** Writes segments that are not there yet; one that is there already stays as it was. */
  writeSegments(segments: readonly StoredSegment[]): Promise<('created' | 'known')[]>;
  /** The segments of one event that are there, in no order. */
  readSegments(key: SplitEventKey): AsyncIterable<StoredSegment>;
  /** The segments at `indexes`, lowest index first, undefined for one that is not there; a few are in memory at a time. */
  readListed(key: SplitEventKey, indexes: readonly number[]): AsyncIterable<StoredSegment | undefined>;
  deleteSegments(key: SplitEventKey, indexes: readonly number[]): Promise<void>;
  /** Manifests of events that were first seen before `time` and still lack segments, oldest first, a sweep's worth. */
  incompleteBefore(time: string): Promise<Manifest[]>;
}
