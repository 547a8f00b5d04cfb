import type { Container } from './catalog.ts';
import type { NewDocument, StoredDocument } from './documentTable.ts';
import { badRequest, CosmosError, conflict, documentNotFound, preconditionFailed, tooLarge } from './errors.ts';
import { matches, newEtag } from './etag.ts';
import { isJsonObject, type Json } from './json.ts';
import { assertSameKey, type EncodedKey, keyOfDocument } from './partitionKey.ts';
import { applyPatch, parsePatch } from './patch.ts';
import { readCharge, writeCharge } from './requestUnits.ts';
import { checkDocumentId } from './resourceId.ts';
import { compileCondition } from './sql/condition.ts';
import { documentText, documentValue, removeSystemProperties } from './systemProperties.ts';
import { expiryMs, parseTimeToLive } from './timeToLive.ts';

const MAX_DOCUMENT_BYTES = 2 * 1024 * 1024;

/** The `If-Match` and `If-None-Match` of a request. */
export interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** What an operation on one document answers. `text` is the document, absent after a delete. */
export interface Outcome {
  readonly status: number;
  readonly etag: string | undefined;
  readonly text: string | undefined;
  readonly charge: number;
}

/** @throws {CosmosError} 400, 409, 413 */
export function createDocument(container: Container, key: EncodedKey, body: Json | undefined): Outcome {
  const document = newDocument(container, key, body);
  if (container.documents.find(key, document.id, document.writtenAtMs) !== undefined) throw conflict();
  return written(container, 201, container.documents.insert(document));
}

/** @throws {CosmosError} 304 where `If-None-Match` names the current etag, 404 */
export function readDocument(container: Container, key: EncodedKey, id: string, conditions: Conditions): Outcome {
  const stored = existing(container, key, id);
  if (conditions.ifNoneMatch !== undefined && matches(conditions.ifNoneMatch, stored.etag)) {
    throw new CosmosError(304, 'Not modified.');
  }
  const text = documentText(container.owner, stored);
  return { status: 200, etag: stored.etag, text, charge: readCharge(Buffer.byteLength(text)) };
}

/** @throws {CosmosError} 400, 404, 412, 413 */
export function replaceDocument(
  container: Container,
  key: EncodedKey,
  id: string,
  body: Json | undefined,
  conditions: Conditions,
): Outcome {
  const document = newDocument(container, key, body);
  if (document.id !== id) throw badRequest(`The id of a document cannot be changed, from '${id}' to '${document.id}'.`);
  const stored = existing(container, key, id);
  checkMatch(stored, conditions);
  return written(container, 200, container.documents.replace(stored.sequence, document));
}

/** @throws {CosmosError} 400, 412, 413 */
export function upsertDocument(
  container: Container,
  key: EncodedKey,
  body: Json | undefined,
  conditions: Conditions,
): Outcome {
  const document = newDocument(container, key, body);
  const stored = container.documents.find(key, document.id, document.writtenAtMs);
  if (stored === undefined) return written(container, 201, container.documents.insert(document));
  checkMatch(stored, conditions);
  return written(container, 200, container.documents.replace(stored.sequence, document));
}

/** @throws {CosmosError} 404, 412 */
export function deleteDocument(container: Container, key: EncodedKey, id: string, conditions: Conditions): Outcome {
  const stored = existing(container, key, id);
  checkMatch(stored, conditions);
  container.documents.remove(stored.sequence);
  return { status: 204, etag: undefined, text: undefined, charge: writeCharge(Buffer.byteLength(stored.body)) };
}

/** @throws {CosmosError} 400, 404, 412 also where the patch's condition does not hold, 413 */
export function patchDocument(
  container: Container,
  key: EncodedKey,
  id: string,
  body: Json | undefined,
  conditions: Conditions,
): Outcome {
  const patch = parsePatch(body);
  const holds = patch.condition === undefined ? undefined : compileCondition(patch.condition);
  const stored = existing(container, key, id);
  checkMatch(stored, conditions);
  const value = documentValue(container.owner, stored);
  if (holds !== undefined && !holds(value)) throw preconditionFailed();
  applyPatch(value, patch.operations, container.definition.keyPaths);
  return written(container, 200, container.documents.replace(stored.sequence, newDocument(container, key, value)));
}

function newDocument(container: Container, key: EncodedKey, body: Json | undefined): NewDocument {
  if (!isJsonObject(body)) throw badRequest('The document must be a JSON object.');
  const id = checkDocumentId(body.id);
  assertSameKey(key, keyOfDocument(body, container.definition.keyPaths));
  const ttl = parseTimeToLive(body.ttl, 'ttl');
  removeSystemProperties(body);
  const text = JSON.stringify(body);
  if (text.length > MAX_DOCUMENT_BYTES / 3 && Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) {
    throw tooLarge(`Request size is too large: a document has at most ${MAX_DOCUMENT_BYTES} bytes.`);
  }
  const writtenAtMs = Date.now();
  const expiresAtMs = expiryMs(writtenAtMs, container.definition.defaultTtl, ttl);
  return { key, id, etag: newEtag(), writtenAtMs, ttl, expiresAtMs, body: text };
}

function existing(container: Container, key: EncodedKey, id: string): StoredDocument {
  const stored = container.documents.find(key, id, Date.now());
  if (stored === undefined) throw documentNotFound();
  return stored;
}

function checkMatch(stored: StoredDocument, conditions: Conditions): void {
  if (conditions.ifMatch !== undefined && !matches(conditions.ifMatch, stored.etag)) throw preconditionFailed();
  if (conditions.ifNoneMatch !== undefined && matches(conditions.ifNoneMatch, stored.etag)) throw preconditionFailed();
}

function written(container: Container, status: number, stored: StoredDocument): Outcome {
  const text = documentText(container.owner, stored);
  return { status, etag: stored.etag, text, charge: writeCharge(Buffer.byteLength(text)) };
}
