import { createHash } from 'node:crypto';
import type { Source } from '../change/change.ts';
import { canonicalJson } from '../change/json.ts';
import type { DeadLetterDocument } from '../store/deadLetters.ts';
import type { Delivery } from './delivery.ts';
import type { DeadLetterReason } from './reasons.ts';

/**
 * The dead letter of `delivery`. Its id comes from the record's position and bytes, so that a record that comes again
 * is kept once, and one that follows it at the same position of a hub made anew is kept too.
 */
export function deadLetterOf(
  source: Source,
  stream: string,
  delivery: Pick<Delivery, 'position' | 'bytes'>,
  reason: DeadLetterReason,
  detail: string,
): DeadLetterDocument {
  const { position, bytes } = delivery;
  const id = createHash('sha256').update(canonicalJson(position)).update('\n').update(bytes).digest('base64url');
  return {
    id,
    stream,
    source,
    reason,
    detail,
    position,
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
    byteLength: bytes.byteLength,
    receivedAt: new Date().toISOString(),
    tries: 0,
  };
}
