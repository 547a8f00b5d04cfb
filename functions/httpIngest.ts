import type { HttpHandler, HttpRequest } from '@azure/functions';
import type { IngestRequest } from '../shared/body/ingestRequest.ts';
import { type Ingest, respond } from '../shared/body/respond.ts';

/** The handler of a function that takes records in over HTTP, for the route parameter `stream`. It never throws. */
export function httpIngest(ingest: Ingest): HttpHandler {
  return async (request, context) => {
    const { status, headers, body, log } = await respond(toIngestRequest(request), ingest);
    if (log !== undefined) context.error(log);
    return { status, headers, jsonBody: body };
  };
}

function toIngestRequest(request: HttpRequest): IngestRequest {
  return {
    stream: request.params.stream ?? '',
    header: (name) => request.headers.get(name),
    body: async () => new Uint8Array(await request.arrayBuffer()),
  };
}
