import { type Part, splitBody } from '../shared/body/parts.ts';
import { decodeMessages } from '../shared/ces/replay.ts';
import { readChunk } from '../shared/changefeed/replay.ts';
import { DEFAULT_GOLDENGATE_STREAM, DEFAULT_QLIK_STREAM } from '../shared/config.ts';
import { decodeRecord as decodeGoldenGate } from '../shared/goldengate/replay.ts';
import { StreamReader } from '../shared/goldengate/stream.ts';
import { UnprocessableError } from '../shared/ingest/reasons.ts';
import type { DecodedChange } from '../shared/ingest/replay.ts';
import { isAvroBody, splitAvroBody } from '../shared/qlik/avroFrames.ts';
import { type OpenedRecord, openFrame, openJson } from '../shared/qlik/openRecord.ts';
import { decodeRecord as decodeQlik } from '../shared/qlik/replay.ts';

export type Decoded = readonly (DecodedChange | UnprocessableError)[];

export type Format = 'ces' | 'blob' | 'goldengate' | 'qlik';

const CES_STREAM = { connection: '', consumerGroup: '', epochs: [{ from: null, epoch: 0 }], databases: {} };
const LIMITS = { nestingLevels: 100, recordsPerRequest: Number.POSITIVE_INFINITY };
const MAX_DECOMPRESSED_BYTES = 1_000_000_000;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** How the content of a file is read, by format. None needs a store. */
export const DECODERS: { readonly [name in Format]: (bytes: Buffer, stream: string) => Promise<Decoded> } = {
  ces: async (bytes, stream) => {
    const settings = { ...CES_STREAM, stream, eventHub: stream };
    // A file may hold several messages in JSON, the segments of a split event among them.
    const messages = isJson(bytes) ? jsonParts(bytes).map((part) => part.bytes) : [bytes];
    const pieces = messages.map((message) => ({ position: {}, bytes: message }));
    return decodeMessages(settings, { position: {}, bytes: Buffer.alloc(0), pieces });
  },
  blob: async (bytes, stream) => {
    try {
      return (await readChunk(stream, 'file', bytes)).map(({ decoded }) => decoded);
    } catch (error) {
      return [new UnprocessableError('undecodable', error instanceof Error ? error.message : String(error))];
    }
  },
  goldengate: async (bytes, stream) => {
    const reader = new StreamReader(stream, DEFAULT_GOLDENGATE_STREAM, LIMITS);
    return jsonParts(bytes).flatMap((part) =>
      [...reader.read(part)].flatMap((record) => decodeGoldenGate(reader, record)),
    );
  },
  qlik: async (bytes, stream) => {
    const { format } = DEFAULT_QLIK_STREAM;
    const opened = isAvroBody(bytes)
      ? [...splitAvroBody(bytes, MAX_DECOMPRESSED_BYTES)].map(({ content }) =>
          open(content, (frame) => openFrame(frame, null, format)),
        )
      : jsonParts(bytes).map(({ content }) => open(content, (value) => openJson(value, format)));
    return opened.flatMap((record) => decodeQlik(stream, DEFAULT_QLIK_STREAM, record));
  },
};

export function isFormat(name: string): name is Format {
  return Object.hasOwn(DECODERS, name);
}

function jsonParts(bytes: Buffer): Part[] {
  return [...splitBody(bytes, LIMITS)];
}

function isJson(bytes: Buffer): boolean {
  const first = bytes.find((byte) => byte > 0x20);
  return first === OPEN_BRACE || first === OPEN_BRACKET;
}

function open<Content>(
  content: Content | UnprocessableError,
  read: (content: Content) => OpenedRecord,
): OpenedRecord | UnprocessableError {
  if (content instanceof UnprocessableError) return content;
  try {
    return read(content);
  } catch (error) {
    if (error instanceof UnprocessableError) return error;
    throw error;
  }
}
