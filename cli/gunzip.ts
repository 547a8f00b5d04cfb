import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { UnprocessableError } from '../shared/ingest/reasons.ts';

const unzip = promisify(gunzip);
/** What every gzip file starts with, and no format that we read. */
const MAGIC = Buffer.from([0x1f, 0x8b]);
/** Below what one text can hold. */
const MAX_GUNZIPPED_BYTES = 500_000_000;

/** The content of a file, out of gzip where it is in that, or why there is none (`undecodable`). */
export async function gunzipped(bytes: Buffer, maxBytes = MAX_GUNZIPPED_BYTES): Promise<Buffer | UnprocessableError> {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return bytes;
  try {
    return await unzip(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const options = { cause: error };
    if (code.startsWith('Z_')) return new UnprocessableError('undecodable', 'its gzip is broken or cut off', options);
    if (code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    return new UnprocessableError('undecodable', `it is over ${maxBytes} bytes out of its gzip`, options);
  }
}
