import { randomBytes } from 'node:crypto';

/** Distinguishes the etags of one process from those of another over the same file. */
const PROCESS_PART = randomBytes(8).toString('hex');

let count = 0;

/** A new etag, quoted as in HTTP; never the same one twice. */
export function newEtag(): string {
  count += 1;
  return `"${count.toString(16).padStart(8, '0')}-${PROCESS_PART}"`;
}

/** Whether an `If-Match` or `If-None-Match` value names this etag. */
export function matches(condition: string, etag: string): boolean {
  return condition === '*' || condition.split(',').some((part) => part.trim() === etag);
}
