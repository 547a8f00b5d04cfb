import { UnprocessableError } from '../ingest/reasons.ts';
import { type Part, type SplitOptions, splitBody } from './parts.ts';
import type { BodyLimits } from './readBody.ts';
import { RequestError } from './requestError.ts';

/**
 * The parts of `body` in order. A body in which nothing can be read is refused as a whole, so that its sender notices:
 * unreadable parts at its start are held back until a readable one shows that it is a body of records at all.
 * Throws RequestError while it is iterated: 400, or 413 beyond the limit of records; what came before that counts.
 */
export function* readableParts(
  body: Uint8Array,
  options: SplitOptions & Pick<BodyLimits, 'recordsPerRequest'>,
): Generator<Part> {
  const heldBack: Part[] = [];
  let isReadable = false;
  let count = 0;
  for (const part of splitBody(body, options)) {
    if (++count > options.recordsPerRequest) throw tooManyRecords(options.recordsPerRequest);
    isReadable ||= !(part.content instanceof UnprocessableError);
    if (!isReadable) {
      heldBack.push(part);
      continue;
    }
    if (heldBack.length > 0) yield* heldBack.splice(0);
    yield part;
  }
  const [first] = heldBack;
  if (first !== undefined) throw new RequestError(400, `nothing in the body can be read; ${messageOf(first)}`);
}

export function tooManyRecords(limit: number): RequestError {
  return new RequestError(413, `the body has more than ${limit} records: send smaller frames`);
}

function messageOf({ content }: Part): string {
  return content instanceof UnprocessableError ? content.message : '';
}
