import { DEAD_LETTER_REASONS, type DeadLetterReason, UnprocessableError } from '../ingest/reasons.ts';
import type { DeadRecord, DecodedChange, Replayer } from '../ingest/replay.ts';
import type { DeadLetterDocument, DeadLetterHeader, DeadLetterPiece } from '../store/deadLetters.ts';

/** A dead letter as a list shows it. */
export interface DeadLetterSummary extends DeadLetterHeader {
  /** What the reason means and what to do about it. */
  readonly explanation: string;
}

/** A dead letter in full. */
export interface DeadLetterView extends DeadLetterSummary {
  readonly arrival?: string;
  /** The record as it came, base64; empty for one that came in pieces. */
  readonly bytes: string;
  readonly pieces: readonly DeadLetterPiece[];
  /** The bytes as text where they are text, cut; null where they are not. */
  readonly text: string | null;
  /** What today's code makes of it. */
  readonly decoded: DecodedView;
}

export interface DecodedView {
  readonly changes?: readonly DecodedChange[];
  /** Why it, or the first part of it that fails, is no change. */
  readonly error?: { readonly reason: DeadLetterReason; readonly detail: string };
}

const MAX_TEXT_CHARACTERS = 65_536;

export function summaryOf(header: DeadLetterHeader): DeadLetterSummary {
  return { ...header, explanation: DEAD_LETTER_REASONS[header.reason] };
}

/** `replayer`: of the letter's source and stream, where there is one. */
export async function viewOf(document: DeadLetterDocument, replayer: Replayer | undefined): Promise<DeadLetterView> {
  const record = deadRecordOf(document);
  const { id, stream, source, reason, detail, position, byteLength, receivedAt, tries, triedAt, arrival } = document;
  const header = { id, stream, source, reason, detail, position, byteLength, receivedAt, tries };
  return {
    ...summaryOf(triedAt === undefined ? header : { ...header, triedAt }),
    ...(arrival === undefined ? {} : { arrival }),
    bytes: document.bytes,
    pieces: document.pieces ?? [],
    text: textOf(record),
    decoded: await decodedView(record, replayer),
  };
}

/** The record that a dead letter keeps. */
export function deadRecordOf(document: DeadLetterDocument): DeadRecord {
  const { position, bytes, pieces = [], arrival, receivedAt, reason } = document;
  return {
    position,
    bytes: Buffer.from(bytes, 'base64'),
    pieces: pieces.map((piece) => ({ position: piece.position, bytes: Buffer.from(piece.bytes, 'base64') })),
    receivedAt,
    reason,
    ...(arrival === undefined ? {} : { arrival }),
  };
}

/** What a list of decoded changes and faults looks like. */
export function decodedViewOf(decoded: readonly (DecodedChange | UnprocessableError)[]): DecodedView {
  const changes = decoded.flatMap((each) => (each instanceof UnprocessableError ? [] : each));
  const error = decoded.find((each) => each instanceof UnprocessableError);
  return {
    ...(changes.length > 0 || error === undefined ? { changes } : {}),
    ...(error === undefined ? {} : { error: { reason: error.reason, detail: error.message } }),
  };
}

async function decodedView(record: DeadRecord, replayer: Replayer | undefined): Promise<DecodedView> {
  if (replayer === undefined) {
    return { error: { reason: record.reason, detail: 'the stream of this record is not in the settings any more' } };
  }
  try {
    return decodedViewOf(await replayer.decode(record));
  } catch (error) {
    // A fault of ours: the letter must be seen all the same.
    const detail = `decoding failed: ${error instanceof Error ? `${error.name}: ${error.message}` : error}`;
    return { error: { reason: record.reason, detail } };
  }
}

function textOf({ bytes, pieces }: DeadRecord): string | null {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    const texts = (pieces.length > 0 ? pieces : [{ bytes }]).map((piece) => decoder.decode(piece.bytes));
    return texts.join('\n').slice(0, MAX_TEXT_CHARACTERS);
  } catch {
    return null;
  }
}
