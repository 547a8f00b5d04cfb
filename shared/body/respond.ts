import type { Outcome } from '../ingest/delivery.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import { type Answer, toAnswer } from './answer.ts';
import { Deadline, TimeIsUpError } from './deadline.ts';
import type { IngestRequest } from './ingestRequest.ts';
import { RequestError } from './requestError.ts';

/** An HTTP answer, free of the trigger. `body` is JSON. */
export interface Response {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Answer | { readonly error: string };
  /** What an operator should see in the log; never a value of a row. */
  readonly log?: string;
}

/** Takes a request's records in. Resolves, in their order, when all are durable. */
export type Ingest = (request: IngestRequest, deadline: Deadline) => Promise<readonly Outcome[]>;

/** The platform ends a request after 230 s; the sender is to hear from us, not from it. */
export const REQUEST_TIME_LIMIT_MS = 150_000;
const RETRY_AFTER_SECONDS = '5';
const STREAM_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/**
 * Answers one request. Never rejects: whatever happens, the sender gets JSON and a status that says what to do next. A
 * 200 means that every record is durable. On a 503 nothing is lost and nothing doubled when the same body comes again.
 */
export async function respond(
  request: IngestRequest,
  ingest: Ingest,
  timeLimitMs = REQUEST_TIME_LIMIT_MS,
): Promise<Response> {
  try {
    if (!STREAM_NAME.test(request.stream)) {
      throw new RequestError(400, 'a stream is named by 1 to 63 letters, digits, ".", "_" or "-"');
    }
    const deadline = new Deadline(timeLimitMs);
    return { status: 200, headers: {}, body: toAnswer(await inTime(ingest(request, deadline), deadline)) };
  } catch (error) {
    return failure(error);
  }
}

/**
 * A step may hang in the store until long after the deadline: the answer does not wait for it. The work itself ends at
 * the next look at the deadline, and how it ends is nobody's concern any more.
 */
async function inTime<Value>(work: Promise<Value>, deadline: Deadline): Promise<Value> {
  const timeIsUp = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeIsUp.reject(new TimeIsUpError('the request took too long')), deadline.remainingMs);
  try {
    return await Promise.race([work, timeIsUp.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

function failure(error: unknown): Response {
  if (error instanceof RequestError) return { status: error.status, headers: {}, body: { error: error.message } };
  const log = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (error instanceof StoreUnavailableError || error instanceof TimeIsUpError) {
    const again = 'not everything could be made durable in time; send the same body again';
    return { status: 503, headers: { 'Retry-After': RETRY_AFTER_SECONDS }, body: { error: again }, log };
  }
  // A fault of ours. What was not acknowledged comes again.
  return { status: 500, headers: {}, body: { error: 'an internal fault; the records were not acknowledged' }, log };
}
