import type { Outcome, RawRecord } from '../ingest/delivery.ts';
import { type DeadLetterReason, UnprocessableError } from '../ingest/reasons.ts';
import type { Manifest, ManifestVersion, SegmentStorage, SplitEventKey } from '../ingest/segmentStore.ts';
import { ByteJoiner } from './byteJoiner.ts';
import {
  contradicts,
  exceeds,
  indexesOf,
  mayBeComplete,
  pendingTtl,
  revived,
  type SplitEventLimits,
  segmentsKey,
  settled,
  withPieces,
} from './manifest.ts';
import type { CesPayload } from './payload.ts';
import { type DeliveredPiece, type Piece, rawOf, reopen, storedSegment } from './piece.ts';
import { type Assembly, assemble, assembleJoined } from './reassembly.ts';

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

type ReadEvent = Pick<WholeEvent, 'payload' | 'last'>;

/** Keeps pieces that will not become a change, together with those of the same event that were kept before. */
export type Bury = (key: SplitEventKey, reason: DeadLetterReason, pieces: readonly RawRecord[]) => Promise<Outcome>;

/** Segments that are listed and gone, read this often without a newer manifest, were lost: the time-out takes over. */
const MAX_MISSING_READS = 3;

const BYTES_PER_WRITE = 524_288;

const NO_BYTES = new Uint8Array(0);

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
 *                                          │
 *   incomplete, in its next life  <────────┘ replay of the dead letter
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
      const own = wholeOf(pieces, () => assemble(pieces));
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
      if (listed === 'incomplete') return { state: 'held' };
      if (listed === 'gone') missingReads++;
      else {
        const place = segmentsKey(key, manifest);
        return this.#whole(key, listed, pieces, await this.#read(key), () => this.#rawPieces(place));
      }
    }
    return { state: 'held' };
  }

  /**
   * Takes in the pieces of a dead letter. If they make a whole by themselves, that is ingested whatever has become of the
   * event since; otherwise a dead event becomes incomplete again. Throws StoreUnavailableError.
   */
  async revive(key: SplitEventKey, pieces: readonly DeliveredPiece[]): Promise<Absorbed> {
    const own = wholeOf(pieces, () => assemble(pieces));
    for (;;) {
      const version = await this.#read(key);
      if (version?.manifest.state === 'dead') {
        await this.#storage.writeManifest(revived(version.manifest, this.#limits), version.etag);
      } else if (own !== undefined) {
        return this.#whole(key, own, pieces, version, async () => pieces.map(({ raw }) => raw));
      } else {
        return this.absorb(key, pieces, version);
      }
    }
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
  async #store(key: SplitEventKey, manifest: Manifest | undefined, pieces: readonly DeliveredPiece[]) {
    const byIndex = new Map(pieces.map((piece) => [piece.index, piece]));
    for (const index of Object.keys(manifest?.segments ?? {})) byIndex.delete(Number(index));
    const ttl = pendingTtl(this.#limits);
    const place = segmentsKey(key, manifest);
    const known: number[] = [];
    for (const slice of inSlices([...byIndex.values()])) {
      const written = await this.#storage.writeSegments(slice.map((piece) => storedSegment(place, piece, ttl)));
      slice.forEach(({ index }, at) => {
        if (written[at] === 'known') known.push(index);
      });
    }
    for await (const stored of this.#storage.readListed(place, known)) {
      const piece = stored && byIndex.get(stored.index);
      if (piece !== undefined && piece.contentHash !== stored?.contentHash) return 'segment-conflict';
    }
    return undefined;
  }

  /** What the listed segments make. `gone`: some are not there: another instance has settled the event. */
  async #listed(key: SplitEventKey, manifest: Manifest): Promise<ReadEvent | 'incomplete' | 'gone'> {
    const indexes = indexesOf(manifest);
    const lastIndex = Math.max(...indexes);
    const joined = new ByteJoiner(manifest.bytes);
    const heads: Piece[] = [];
    for await (const stored of this.#storage.readListed(segmentsKey(key, manifest), indexes)) {
      if (stored === undefined) return 'gone';
      const piece = reopen(stored);
      joined.append(piece.bytes);
      heads.push(piece.index === lastIndex ? piece : { ...piece, bytes: NO_BYTES });
    }
    return wholeOf(heads, () => assembleJoined(heads, joined.take())) ?? 'incomplete';
  }

  async #rawPieces(key: SplitEventKey): Promise<RawRecord[]> {
    const raw: RawRecord[] = [];
    for await (const stored of this.#storage.readSegments(key)) raw.push(rawOf(stored));
    return raw;
  }

  #whole(
    key: SplitEventKey,
    event: ReadEvent,
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
      if (manifest.stored) await this.#storage.deleteSegments(segmentsKey(key, manifest), indexesOf(manifest));
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
    const place = segmentsKey(key, version?.manifest);
    const kept = await this.#rawPieces(place);
    const outcome = await this.#bury(key, reason, [...kept, ...pieces.map(({ raw }) => raw)]);
    const manifest = settled(withPieces(key, version?.manifest, pieces, this.#limits), 'dead', reason);
    if ((await this.#storage.writeManifest(manifest, version?.etag)) === 'conflict') return undefined;
    await this.#storage.deleteSegments(place, indexesOf(manifest));
    return { state: 'dead', outcome };
  }

  /** What a crash between completion and clean-up left behind, or this call wrote before it saw the completion, goes. */
  async #late(key: SplitEventKey, manifest: Manifest, pieces: readonly DeliveredPiece[]): Promise<Absorbed> {
    const indexes = new Set([...indexesOf(manifest), ...pieces.map(({ index }) => index)]);
    await this.#storage.deleteSegments(segmentsKey(key, manifest), [...indexes]);
    return { state: 'late' };
  }

  async #join(key: SplitEventKey, manifest: Manifest, pieces: readonly DeliveredPiece[]): Promise<Absorbed> {
    const reason = manifest.reason ?? 'segment-timeout';
    const place = segmentsKey(key, manifest);
    const outcome = await this.#bury(key, reason, [...(await this.#rawPieces(place)), ...pieces.map(({ raw }) => raw)]);
    await this.#storage.deleteSegments(place, [...indexesOf(manifest), ...pieces.map(({ index }) => index)]);
    return { state: 'dead', outcome };
  }
}

/** The event that `pieces` make as `put` puts them together, readable or not; undefined when some are still to come. */
export function wholeOf(pieces: readonly Piece[], put: () => Assembly<Piece>): ReadEvent | undefined {
  try {
    const assembly = put();
    return assembly.state === 'complete' ? { payload: assembly.payload, last: assembly.last } : undefined;
  } catch (error) {
    const last = pieces.reduce((latest, piece) => (piece.index > latest.index ? piece : latest));
    if (!(error instanceof UnprocessableError)) throw error;
    return { payload: error, last };
  }
}

/** Runs of pieces of about `BYTES_PER_WRITE`, for what is written is in memory several times on its way. */
function* inSlices(pieces: readonly DeliveredPiece[]): Generator<readonly DeliveredPiece[]> {
  let slice: DeliveredPiece[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    slice.push(piece);
    bytes += piece.raw.bytes.byteLength;
    if (bytes < BYTES_PER_WRITE) continue;
    yield slice;
    slice = [];
    bytes = 0;
  }
  if (slice.length > 0) yield slice;
}

function lists(known: Manifest | undefined, pieces: readonly DeliveredPiece[]): boolean {
  return known !== undefined && pieces.every(({ index }) => Object.hasOwn(known.segments, String(index)));
}

/** A segment after the one that says it is the last cannot be right, or that one is not. */
function isBeyondLast(manifest: Manifest): boolean {
  return manifest.final !== null && indexesOf(manifest).some((index) => index > (manifest.final ?? index));
}
