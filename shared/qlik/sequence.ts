import { UnprocessableError } from '../ingest/reasons.ts';

/** `YYYYMMDDHHmmSShh` and a number of 19 digits. */
export const SEQUENCE_CHARACTERS = 35;

/** Before every `changeSequence`: what a stream has shown that has shown none. */
export const NO_SEQUENCE = '0'.repeat(SEQUENCE_CHARACTERS);

const DIGITS = /^\d+$/;

/**
 * A `changeSequence` in the form that plain comparison orders: 35 digits. Throws UnprocessableError (`no-order`) for one that
 * is missing, no whole number or longer. A bridge that took it for a number of its own has rounded it, and shows that by
 * an exponent.
 */
export function readSequence(sent: unknown): string {
  const text = typeof sent === 'number' && Number.isSafeInteger(sent) ? String(sent) : sent;
  if (text === undefined || text === null || text === '')
    throw new UnprocessableError('no-order', 'the change has no changeSequence');
  if (typeof text !== 'string' || !DIGITS.test(text) || text.length > SEQUENCE_CHARACTERS) {
    throw new UnprocessableError(
      'no-order',
      `changeSequence is not a number of up to ${SEQUENCE_CHARACTERS} digits, or was rounded on the way`,
    );
  }
  return text.length === SEQUENCE_CHARACTERS ? text : text.padStart(SEQUENCE_CHARACTERS, '0');
}

export function later(a: string, b: string): string {
  return a > b ? a : b;
}
