import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const KEEP_ALIVE_MS = 120_000;

/** What happens to the write at which a process is to die: the store never sees it, or does and cannot say so. */
export type Death = 'before' | 'after';

/**
 * Stands between the store's client and the gateway, counts writes, and can play the death of the process: from the
 * chosen write on nothing more gets through. Answers 403 then, which the client takes as final.
 */
export interface FaultProxy {
  readonly endpoint: string;
  /** Writes that have come in since `arm` or `disarm`. */
  readonly writes: number;
  /** Requests of every kind that have ever come in. */
  readonly requests: number;
  /** Lets `writes` writes pass, then dies at the next. */
  arm(writes: number, death: Death): void;
  /** Lets `writes` writes pass, refuses the next, and lets all that come after it pass. */
  refuseOne(writes: number): void;
  disarm(): void;
  /** Lets `writes` writes pass; the next gets through, too, but its connection breaks in place of an answer, once. */
  loseAnswer(writes: number): void;
  /** Lets nothing through, reads neither. */
  cutOff(): void;
  close(): Promise<void>;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  let writes = 0;
  let requests = 0;
  let fatalWrite = Number.POSITIVE_INFINITY;
  let lostWrite = Number.POSITIVE_INFINITY;
  let refusedWrite = Number.POSITIVE_INFINITY;
  let death: Death = 'before';
  let isCutOff = false;

  const forward = (
    incoming: IncomingMessage,
    body: Buffer,
    answer: (status: number, headers: object, body: Buffer) => void,
  ) => {
    const { method, url, headers } = incoming;
    const outgoing = request({ hostname, port, method, path: url, headers }, async (response) => {
      answer(response.statusCode ?? 500, response.headers, await bodyOf(response));
    });
    outgoing.on('error', () => answer(503, {}, Buffer.alloc(0)));
    outgoing.end(body);
  };

  const server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming);
    requests++;
    const position = isWrite(incoming, body) ? writes++ : writes;
    const relay = (status: number, headers: object, answer: Buffer) =>
      outgoing.writeHead(status, { ...headers }).end(answer);
    if (isCutOff || (position === refusedWrite && isWrite(incoming, body))) return refuse(outgoing);
    if (position === lostWrite && isWrite(incoming, body)) {
      lostWrite = Number.POSITIVE_INFINITY;
      return forward(incoming, body, () => incoming.socket.destroy());
    }
    if (position < fatalWrite) return forward(incoming, body, relay);
    const isFatal = position === fatalWrite && isWrite(incoming, body);
    if (isFatal && death === 'after') return forward(incoming, body, () => refuse(outgoing));
    refuse(outgoing);
  });
  // Longer than any test is busy with other things: a connection closed in the meantime is a fault nobody ordered.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    get writes() {
      return writes;
    },
    get requests() {
      return requests;
    },
    arm(count, kind) {
      writes = 0;
      fatalWrite = count;
      death = kind;
    },
    refuseOne(count) {
      writes = 0;
      refusedWrite = count;
    },
    disarm() {
      writes = 0;
      fatalWrite = Number.POSITIVE_INFINITY;
      refusedWrite = Number.POSITIVE_INFINITY;
      isCutOff = false;
    },
    loseAnswer(count) {
      writes = 0;
      lostWrite = count;
    },
    cutOff() {
      isCutOff = true;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(outgoing: ServerResponse): void {
  outgoing
    .writeHead(403, { 'content-type': 'application/json' })
    .end('{"code":"Forbidden","message":"the process is dead"}');
}

function isWrite({ method, headers, url = '' }: IncomingMessage, body: Buffer): boolean {
  if (!url.includes('/docs') || method === 'GET') return false;
  if (headers['x-ms-documentdb-isquery'] !== undefined || headers['x-ms-cosmos-is-query-plan-request'] !== undefined)
    return false;
  return (
    headers['x-ms-cosmos-is-batch-request'] === undefined ||
    !/^\[\{"operationType":"Read"/.test(body.toString('latin1'))
  );
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
