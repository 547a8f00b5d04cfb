import type { HttpHandler, HttpRequest, HttpResponseInit } from '@azure/functions';
import { ContinuationError } from '../shared/ingest/page.ts';
import { NotFoundError, QueryError } from '../shared/operate/queryError.ts';
import { StoreUnavailableError } from '../shared/store/errors.ts';

const RETRY_AFTER_SECONDS = '5';

/** A handler that answers in JSON: what `work` returns, or what is wrong. */
export function jsonAnswer(work: (request: HttpRequest) => Promise<HttpResponseInit>): HttpHandler {
  return async (request, context) => {
    try {
      return await work(request);
    } catch (error) {
      if (error instanceof QueryError || error instanceof ContinuationError) return failure(400, error);
      if (error instanceof NotFoundError) return failure(404, error);
      context.error(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
      if (!(error instanceof StoreUnavailableError)) {
        return { status: 500, jsonBody: { error: 'an internal fault; the log says more' } };
      }
      return { ...failure(503, error), headers: { 'Retry-After': RETRY_AFTER_SECONDS } };
    }
  };
}

function failure(status: number, { message }: Error): HttpResponseInit {
  return { status, jsonBody: { error: message } };
}
