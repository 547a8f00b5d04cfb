import { createHash } from 'node:crypto';
import type { Source } from '../change/change.ts';
import { canonicalJson } from '../change/json.ts';
import type { DeadLetterDocument, DeadLetterPiece } from '../store/deadLetters.ts';
import type { RawRecord } from './delivery.ts';
import type { DeadLetterReason } from './reasons.ts';

/** Why a record becomes a dead letter, and of which stream it is. */
export interface Verdict {
  readonly source: Source;
  readonly stream: string;
  readonly reason: DeadLetterReason;
  readonly detail: string;
}

/**
 * The dead letter of one message. Its id comes from the message's position and bytes, so that a message that comes again
 * is kept once, and one that follows it at the same position of a hub made anew is kept too.
 */
export function deadLetterOf(verdict: Verdict, { position, bytes, arrival }: RawRecord): DeadLetterDocument {
  const id = createHash('sha256').update(canonicalJson(position)).update('\n').update(bytes).digest('base64url');
  const letter = { id, ...verdict, position, bytes: base64(bytes), byteLength: bytes.byteLength, ...unread() };
  return arrival === undefined ? letter : { ...letter, arrival };
}

/** The dead letter of a record that came in pieces. `name` is what names the record: pieces that come later join it. */
export function deadLetterOfPieces(verdict: Verdict, name: string, pieces: readonly RawRecord[]): DeadLetterDocument {
  const id = createHash('sha256').update(`${verdict.source}\n${verdict.stream}\n${name}`).digest('base64url');
  return {
    id,
    ...verdict,
    position: pieces.at(-1)?.position ?? {},
    bytes: '',
    byteLength: pieces.reduce((sum, { bytes }) => sum + bytes.byteLength, 0),
    pieces: pieces.map(pieceOf),
    ...unread(),
  };
}

function pieceOf({ position, bytes }: RawRecord): DeadLetterPiece {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { position, byteLength: bytes.byteLength, sha256, bytes: base64(bytes) };
}

function unread() {
  return { receivedAt: new Date().toISOString(), tries: 0 };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
