import type { Outcome, RawRecord } from '../ingest/delivery.ts';
import { type DeadLetterReason, UnprocessableError } from '../ingest/reasons.ts';
import type { Manifest, ManifestVersion, SegmentStorage, SplitEventKey } from '../ingest/segmentStore.ts';
import {
  contradicts,
  exceeds,
  indexesOf,
  mayBeComplete,
  pendingTtl,
  type SplitEventLimits,
  settled,
  withPieces,
} from './manifest.ts';
import type { CesPayload } from './payload.ts';
import { type DeliveredPiece, type Piece, rawOf, reopen, storedSegment } from './piece.ts';
import { assemble } from './reassembly.ts';

/** What became of the pieces of one event that a batch held. */
export type Absorbed =
  /** Others are still to come. */
  | { readonly state: 'held' }
  /** The event was complete before. */
  | { readonly state: 'late' }
  | { readonly state: 'dead'; readonly outcome: Outcome }
  | WholeEvent;

/** An event that is whole, or whose pieces are all there and cannot be read. */
export interface WholeEvent {
  readonly state: 'whole';
  readonly payload: CesPayload | UnprocessableError;
  /** The piece whose envelope and position stand for the event. */
  readonly last: Piece;
  /** All messages that it came in. */
  readonly pieces: () => Promise<readonly RawRecord[]>;
  /** To be called when what the event says is durable. Throws StoreUnavailableError. */
  readonly finish: () => Promise<void>;
}

/** Keeps pieces that will not become a change, together with those of the same event that were kept before. */
export type Bury = (key: SplitEventKey, reason: DeadLetterReason, pieces: readonly RawRecord[]) => Promise<Outcome>;

/** Segments that are listed and gone, read this often without a newer manifest, were lost: the time-out takes over. */
const MAX_MISSING_READS = 3;

/**
 * Split events: pieces in, whole events out, whatever the order, the partition and the instance that a piece comes to.
 *
 *             all pieces in one batch
 *   (none) ───────────────────────────────────────────> complete     late pieces are duplicates
 *      │ some pieces: written, then listed                 ^
 *      v                                                   │
 *   incomplete ── the listed pieces make a whole ──────────┘
 *      │
 *      └── conflict, limit, time-out ──> dead     late pieces join the dead letter
 *
 * The manifest decides, and is written only over the version that was read; so of several instances that hold the last
 * pieces, the one whose write comes last sees all of them listed. A segment is written before it is listed. An event
 * becomes `complete` only after its change is durable, and its segments are deleted after that. So a crash between any
 * two writes leaves a state from which the same batch, when it comes again, gets to the same end.
 */
export class SplitEvents {
  readonly #storage: SegmentStorage;
  readonly #limits: SplitEventLimits;
  readonly #bury: Bury;

  constructor(storage: SegmentStorage, limits: SplitEventLimits, bury: Bury) {
    this.#storage = storage;
    this.#limits = limits;
    this.#bury = bury;
  }

  /** Takes in pieces of one event. `version` is its manifest as the caller read it. Throws StoreUnavailableError. */
  async absorb(
    key: SplitEventKey,
    pieces: readonly DeliveredPiece[],
    version: ManifestVersion | undefined,
  ): Promise<Absorbed> {
    let current = version;
    for (let missingReads = 0; missingReads < MAX_MISSING_READS; current = await this.#read(key)) {
      const known = current?.manifest;
      if (known?.state === 'complete') return this.#late(key, known, pieces);
      if (known?.state === 'dead') return this.#join(key, known, pieces);
      const own = wholeOf(pieces);
      if (own !== undefined) return this.#whole(key, own, pieces, current, async () => pieces.map(({ raw }) => raw));
      const manifest = withPieces(key, known, pieces, this.#limits);
      const fault = this.#faultOf(known, manifest, pieces) ?? (await this.#store(key, known, pieces));
      if (fault !== undefined) {
        const dead = await this.#kill(key, fault, pieces, current);
        if (dead !== undefined) return dead;
        continue;
      }
      if (!lists(known, pieces) && (await this.#storage.writeManifest(manifest, current?.etag)) === 'conflict')
        continue;
      if (!mayBeComplete(manifest)) return { state: 'held' };
      const listed = await this.#listed(key, manifest);
      if (listed === undefined) missingReads++;
      else {
        const whole = wholeOf(listed);
        if (whole === undefined) return { state: 'held' };
        return this.#whole(key, whole, pieces, await this.#read(key), () => this.#rawPieces(key));
      }
    }
    return { state: 'held' };
  }

  /** Makes a dead letter of an event that lacked segments for too long, unless it has become complete since. */
  async expire(key: SplitEventKey): Promise<boolean> {
    const version = await this.#read(key);
    if (version?.manifest.state !== 'incomplete') return false;
    return (await this.#kill(key, 'segment-timeout', [], version)) !== undefined;
  }

  async #read(key: SplitEventKey): Promise<ManifestVersion | undefined> {
    return (await this.#storage.readManifests([key]))[0];
  }

  #faultOf(known: Manifest | undefined, manifest: Manifest, pieces: readonly DeliveredPiece[]) {
    if (contradicts(known, pieces) || isBeyondLast(manifest)) return 'segment-conflict';
    return exceeds(manifest, this.#limits) ? 'segment-limit' : undefined;
  }

  /** Writes the pieces that are not listed yet. Whatever else was written under their indexes is a conflict. */
  async #store(key: SplitEventKey, known: Manifest | undefined, pieces: readonly DeliveredPiece[]) {
    const byIndex = new Map(pieces.map((piece) => [piece.index, piece]));
    for (const index of Object.keys(known?.segments ?? {})) byIndex.delete(Number(index));
    const ttl = pendingTtl(this.#limits);
    const unlisted = [...byIndex.values()];
    const written = await this.#storage.writeSegments(unlisted.map((piece) => storedSegment(key, piece, ttl)));
    if (!written.includes('known')) return undefined;
    for await (const { index, contentHash } of this.#storage.readSegments(key)) {
      const piece = byIndex.get(index);
      if (piece !== undefined && piece.contentHash !== contentHash) return 'segment-conflict';
    }
    return undefined;
  }

  /** The listed segments; undefined when some are gone: another instance has settled the event. */
  async #listed(key: SplitEventKey, manifest: Manifest): Promise<Piece[] | undefined> {
    const missing = new Set(indexesOf(manifest));
    const found: Piece[] = [];
    for await (const stored of this.#storage.readSegments(key)) {
      if (!missing.delete(stored.index)) continue;
      found.push(reopen(stored));
    }
    return missing.size === 0 ? found : undefined;
  }

  async #rawPieces(key: SplitEventKey): Promise<RawRecord[]> {
    const raw: RawRecord[] = [];
    for await (const stored of this.#storage.readSegments(key)) raw.push(rawOf(stored));
    return raw;
  }

  #whole(
    key: SplitEventKey,
    event: Pick<WholeEvent, 'payload' | 'last'>,
    pieces: readonly DeliveredPiece[],
    version: ManifestVersion | undefined,
    rawPieces: () => Promise<readonly RawRecord[]>,
  ): WholeEvent {
    return { state: 'whole', ...event, pieces: rawPieces, finish: () => this.#finish(key, pieces, version) };
  }

  async #finish(
    key: SplitEventKey,
    pieces: readonly DeliveredPiece[],
    version: ManifestVersion | undefined,
  ): Promise<void> {
    for (let current = version; ; current = await this.#read(key)) {
      const known = current?.manifest;
      if (known !== undefined && known.state !== 'incomplete') return;
      const listed = withPieces(key, known, pieces, this.#limits);
      const manifest = settled({ ...listed, stored: known?.stored ?? false }, 'complete');
      if ((await this.#storage.writeManifest(manifest, current?.etag)) === 'conflict') continue;
      if (manifest.stored) await this.#storage.deleteSegments(key, indexesOf(manifest));
      return;
    }
  }

  /** Undefined when the manifest was written by someone else in between: then look again. */
  async #kill(
    key: SplitEventKey,
    reason: DeadLetterReason,
    pieces: readonly DeliveredPiece[],
    version: ManifestVersion | undefined,
  ): Promise<Absorbed | undefined> {
    const kept = await this.#rawPieces(key);
    const outcome = await this.#bury(key, reason, [...kept, ...pieces.map(({ raw }) => raw)]);
    const manifest = settled(withPieces(key, version?.manifest, pieces, this.#limits), 'dead', reason);
    if ((await this.#storage.writeManifest(manifest, version?.etag)) === 'conflict') return undefined;
    await this.#storage.deleteSegments(key, indexesOf(manifest));
    return { state: 'dead', outcome };
  }

  /** What a crash between completion and clean-up left behind, or this call wrote before it saw the completion, goes. */
  async #late(key: SplitEventKey, manifest: Manifest, pieces: readonly DeliveredPiece[]): Promise<Absorbed> {
    const indexes = new Set([...indexesOf(manifest), ...pieces.map(({ index }) => index)]);
    await this.#storage.deleteSegments(key, [...indexes]);
    return { state: 'late' };
  }

  async #join(key: SplitEventKey, manifest: Manifest, pieces: readonly DeliveredPiece[]): Promise<Absorbed> {
    const reason = manifest.reason ?? 'segment-timeout';
    const outcome = await this.#bury(key, reason, [...(await this.#rawPieces(key)), ...pieces.map(({ raw }) => raw)]);
    await this.#storage.deleteSegments(key, [...indexesOf(manifest), ...pieces.map(({ index }) => index)]);
    return { state: 'dead', outcome };
  }
}

function wholeOf(pieces: readonly Piece[]): Pick<WholeEvent, 'payload' | 'last'> | undefined {
  const pieceAt = (index: number | undefined) => pieces.find((piece) => piece.index === index);
  try {
    const assembly = assemble(pieces);
    const last = assembly.state === 'complete' ? pieceAt(assembly.segments.at(-1)?.index) : undefined;
    return assembly.state === 'complete' && last !== undefined ? { payload: assembly.payload, last } : undefined;
  } catch (error) {
    const last = pieceAt(Math.max(...pieces.map(({ index }) => index)));
    if (!(error instanceof UnprocessableError) || last === undefined) throw error;
    return { payload: error, last };
  }
}

function lists(known: Manifest | undefined, pieces: readonly DeliveredPiece[]): boolean {
  return known !== undefined && pieces.every(({ index }) => Object.hasOwn(known.segments, String(index)));
}

/** A segment after the one that says it is the last cannot be right, or that one is not. */
function isBeyondLast(manifest: Manifest): boolean {
  return manifest.final !== null && indexesOf(manifest).some((index) => index > (manifest.final ?? index));
}
