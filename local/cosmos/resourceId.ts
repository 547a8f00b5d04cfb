import { badRequest } from './errors.ts';

const MAX_DOCUMENT_ID_BYTES = 1023;
const MAX_NAME_LENGTH = 255;
const FORBIDDEN_CHARACTERS = /[/\\?#]/;

/** Checks a document's id. @throws {CosmosError} 400 */
export function checkDocumentId(id: unknown): string {
  if (typeof id !== 'string' || id === '') {
    throw badRequest("The input content is invalid because the required properties - 'id; ' - are missing");
  }
  if (FORBIDDEN_CHARACTERS.test(id)) throw badRequest(`The id '${id}' contains one of the characters / \\ ? #.`);
  if (Buffer.byteLength(id) > MAX_DOCUMENT_ID_BYTES) {
    throw badRequest(`The id is longer than ${MAX_DOCUMENT_ID_BYTES} bytes.`);
  }
  return id;
}

/** Checks the name of a database or container. @throws {CosmosError} 400 */
export function checkName(id: unknown): string {
  if (typeof id !== 'string' || id === '' || id.length > MAX_NAME_LENGTH || FORBIDDEN_CHARACTERS.test(id)) {
    throw badRequest(
      `A database or container needs an id of 1 to ${MAX_NAME_LENGTH} characters without / \\ ? #: ${JSON.stringify(id)}`,
    );
  }
  return id;
}

/**
 * The service's internal ids (`_rid`): 4 bytes for a database, 4 more for a container, 8 more for a document, in
 * base64 with `-` for `/`.
 */
export function databaseRid(database: number): string {
  return encode(4, (bytes) => bytes.writeUInt32BE(database, 0));
}

export function containerRid(database: number, container: number): string {
  return encode(8, (bytes) => {
    bytes.writeUInt32BE(database, 0);
    bytes.writeUInt32BE((0x8000_0000 | container) >>> 0, 4);
  });
}

export function documentRid(database: number, container: number, sequence: number): string {
  return encode(16, (bytes) => {
    bytes.writeUInt32BE(database, 0);
    bytes.writeUInt32BE((0x8000_0000 | container) >>> 0, 4);
    bytes.writeUIntBE(sequence, 10, 6);
  });
}

function encode(bytes: number, fill: (buffer: Buffer) => void): string {
  const buffer = Buffer.alloc(bytes);
  fill(buffer);
  return buffer.toString('base64').replaceAll('/', '-');
}
