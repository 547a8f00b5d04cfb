import { createHash } from 'node:crypto';
import type { RawRecord } from '../ingest/delivery.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { SplitEventKey, StoredSegment } from '../ingest/segmentStore.ts';
import { decodeEnvelopes } from './envelope.ts';
import type { CesDelivery } from './normalise.ts';
import { type CesSegment, openEnvelope } from './reassembly.ts';

/** A segment and where the message stood that it came in. */
export interface Piece extends CesSegment {
  readonly delivery: CesDelivery;
  readonly contentHash: string;
}

/** A piece and the message of the hub that carried it. */
export interface DeliveredPiece extends Piece {
  readonly raw: RawRecord;
}

export function pieceOf(segment: CesSegment, delivery: CesDelivery): Piece {
  const { final, total, bytes } = segment;
  // What is compared is what the segment says: `id`, and with it the envelope, may differ when it is sent again.
  const contentHash = createHash('sha256').update(`${final}/${total}/`).update(bytes).digest('base64url');
  return { ...segment, delivery, contentHash };
}

export function storedSegment(key: SplitEventKey, piece: DeliveredPiece, ttl: number): StoredSegment {
  const { bytes, position } = piece.raw;
  return {
    kind: 'segment',
    ...key,
    index: piece.index,
    contentHash: piece.contentHash,
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
    position: { ...piece.delivery, ...position },
    ttl,
  };
}

/** The message that `stored` keeps. */
export function rawOf({ bytes, position }: StoredSegment): RawRecord {
  return { position, bytes: Buffer.from(bytes, 'base64') };
}

/** The piece that `stored` keeps. Throws UnprocessableError when its message does not hold it. */
export function reopen(stored: StoredSegment): Piece {
  for (const envelope of decodeEnvelopes(Buffer.from(stored.bytes, 'base64'))) {
    if (envelope.attributes.logicalid !== stored.logicalId) continue;
    const { segment } = openEnvelope(envelope);
    if (segment?.index !== stored.index) continue;
    return { ...segment, delivery: deliveryOf(stored.position), contentHash: stored.contentHash };
  }
  throw new UnprocessableError('undecodable', `segment ${stored.index} is not in the message that was kept for it`);
}

/** Where a message stood, from the position that was kept of it. */
export function deliveryOf(position: RawRecord['position']): CesDelivery {
  const text = (name: string) => {
    const value = position[name];
    return typeof value === 'string' ? value : null;
  };
  const { sequenceNumber } = position;
  return {
    hub: text('hub') ?? '',
    partition: text('partition'),
    sequenceNumber: typeof sequenceNumber === 'number' ? sequenceNumber : null,
    offset: text('offset'),
    enqueuedAt: text('enqueuedAt'),
  };
}
