import type { Transaction } from '../change/change.ts';
import type { JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { JsonObject } from './exactParse.ts';

/** From which enqueued time on which epoch counts: LSNs go back when a database is restored. `null`: from the beginning. */
export interface Epoch {
  readonly from: string | null;
  readonly epoch: number;
}

/** Where a change stands in its stream: by commit LSN, then by sequence number inside the transaction. */
export interface CesPosition {
  /** `<LSN, 20 hexadecimal digits>:<sequence number, 20 digits>`. */
  readonly text: string;
  readonly transaction: Transaction | null;
}

const EPOCH_DIGITS = 4;
const SEQUENCE_DIGITS = 20;
const LSN_DIGITS = 20;
const USUAL_LSN = /^[0-9A-F]{8}:[0-9A-F]{8}:[0-9A-F]{4}$/;
const LSN = /^(?:0x)?[0-9a-f]{8}:?[0-9a-f]{8}:?[0-9a-f]{4}$/i;
const SEQUENCE = /^\d{1,20}$/;
/** How a `logicalid` ends: LSN without colons, sequence number. */
const LOGICAL_ID_TAIL = /:([0-9a-f]{20}):([0-9a-f]{1,20})$/i;

/**
 * Reads the position of a change from its transaction, and where that is absent or unusable (early previews) from the tail
 * of its `logicalid`. Throws UnprocessableError (`no-order`) where neither says.
 */
export function positionOf(logicalid: string, transaction: JsonObject | null): CesPosition {
  return (transaction && fromTransaction(transaction)) ?? fromLogicalId(logicalid);
}

/** Chooses the epoch of a change: the last one that began by its enqueued time, or the newest where that is unknown. */
export function epochChooser(epochs: readonly Epoch[]): (enqueuedAt: string | null) => string {
  const started = epochs
    .map(({ from, epoch }) => ({ start: from === null ? Number.NEGATIVE_INFINITY : Date.parse(from), epoch }))
    .sort((a, b) => a.start - b.start);
  const texts = started.map(({ epoch }) => String(epoch).padStart(EPOCH_DIGITS, '0'));
  const first = texts[0] ?? '0'.repeat(EPOCH_DIGITS);
  if (texts.length <= 1) return () => first;
  return (enqueuedAt) => {
    const at = enqueuedAt === null ? Number.NaN : Date.parse(enqueuedAt);
    const index = Number.isNaN(at) ? texts.length - 1 : started.findLastIndex(({ start }) => start <= at);
    return texts[index] ?? first;
  };
}

function fromTransaction({ commitlsn, sequencenumber }: JsonObject): CesPosition | undefined {
  const sequence = sequenceText(sequencenumber);
  if (sequence === undefined || typeof commitlsn !== 'string') return undefined;
  const lsn = lsnDigits(commitlsn);
  if (lsn === undefined) return undefined;
  return {
    text: `${lsn}:${sequence.padStart(SEQUENCE_DIGITS, '0')}`,
    // `finalevent` is always false, so nothing marks a transaction's last change.
    transaction: { id: commitlsn, sequence: safeNumber(sequence), last: null },
  };
}

function fromLogicalId(logicalid: string): CesPosition {
  const tail = LOGICAL_ID_TAIL.exec(logicalid);
  if (tail === null) {
    throw new UnprocessableError(
      'no-order',
      'neither eventsource.transaction nor the tail of logicalid holds a commit LSN',
    );
  }
  const [, lsn = '', sequence = ''] = tail;
  return { text: `${lsn}:${sequence.padStart(SEQUENCE_DIGITS, '0')}`.toUpperCase(), transaction: null };
}

/** An LSN as 20 hexadecimal digits in upper case, of the form that the source writes or one that tools make of it. */
function lsnDigits(text: string): string | undefined {
  if (USUAL_LSN.test(text)) return text.slice(0, 8) + text.slice(9, 17) + text.slice(18);
  return LSN.test(text) ? text.replaceAll(':', '').toUpperCase().slice(-LSN_DIGITS) : undefined;
}

function sequenceText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  return typeof value === 'string' && SEQUENCE.test(value) ? value : undefined;
}

function safeNumber(digits: string): number | null {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : null;
}
