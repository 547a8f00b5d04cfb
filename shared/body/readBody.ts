import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { IngestRequest } from './ingestRequest.ts';
import { RequestError } from './requestError.ts';

/** What one request may take. */
export interface BodyLimits {
  /** Size of a body as it is sent. */
  readonly bodyBytes: number;
  /** Size of a body once it is decompressed. */
  readonly decompressedBytes: number;
  /** Levels of objects and arrays in one record. */
  readonly nestingLevels: number;
  /** Parts of one body. */
  readonly recordsPerRequest: number;
}

const unzip = promisify(gunzip);
/** Codes of zlib's errors for data that is not what it says it is, or is cut off. */
const CORRUPT = new Set(['Z_DATA_ERROR', 'Z_BUF_ERROR', 'Z_NEED_DICT']);

/**
 * The body of `request`, decompressed; empty only where the sender says that it is. Throws RequestError: 411 for a body
 * that the host did not hand over (it does so only with bodies of a declared length), 413, 415, and 400 for gzip that
 * cannot be read.
 */
export async function readBody(request: IngestRequest, limits: BodyLimits): Promise<Uint8Array> {
  const isGzip = isGzipped(request.header('content-encoding'));
  const declared = request.header('content-length');
  if (declared !== null && Number(declared) > limits.bodyBytes) throw tooLarge(limits.bodyBytes);
  const sent = await request.body();
  if (sent.byteLength === 0) {
    if (declared !== null && Number(declared) === 0) return sent;
    throw new RequestError(411, 'the body arrived empty: send it with Content-Length, not in chunks');
  }
  if (sent.byteLength > limits.bodyBytes) throw tooLarge(limits.bodyBytes);
  return isGzip ? decompressed(sent, limits.decompressedBytes) : sent;
}

function isGzipped(encoding: string | null): boolean {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === 'gzip' || name === 'x-gzip') return true;
  if (name === '' || name === 'identity') return false;
  throw new RequestError(415, 'the Content-Encoding is none that is understood: send gzip, or none');
}

async function decompressed(sent: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await unzip(sent, { maxOutputLength: maxBytes });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw new RequestError(413, `the decompressed body is over ${maxBytes} bytes: send smaller frames`);
    }
    if (CORRUPT.has(code)) throw new RequestError(400, 'the body is not gzip that can be read', { cause: error });
    throw error;
  }
}

function tooLarge(maxBytes: number): RequestError {
  return new RequestError(413, `the body is over ${maxBytes} bytes: send smaller frames`);
}
