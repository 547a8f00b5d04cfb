import { createHash } from 'node:crypto';
import type { JsonValue } from '../change/json.ts';
import { isTooLarge, jsonBytes, MAX_DOCUMENT_BYTES } from './documentSize.ts';
import type { ValueStore } from './valueStore.ts';

/**
 * Documents end at 2 MB, rows do not. From a document that would be too large the largest texts move to Blob Storage,
 * largest first until it fits, each replaced by a pointer. A blob is named by the hash of its content: moving a value
 * twice, or on two instances at once, is harmless. The blob is written before the document that points to it.
 */
export interface ValuePointer {
  /** Name of the blob in the container `tributary-values`. */
  readonly $blob: string;
  /** Size of the blob. */
  readonly bytes: number;
  readonly sha256: string;
  /** Absent for UTF-8. A text cut inside a surrogate pair has no UTF-8 form. */
  readonly encoding?: 'utf-16le';
}

/** What a pointer takes in the document, at the most. */
const POINTER_BYTES = 256;
/** Shorter texts stay: they free little, and ids, keys and names of tables are among them. */
const MIN_MOVED_BYTES = 1_024;

type Path = readonly string[];

/** A text in a document: where it stands, and how much the document would shrink without it. */
interface Candidate {
  readonly path: Path;
  readonly text: string;
  readonly bytes: number;
}

/**
 * `document` itself if it is small enough, else a copy whose largest texts are in `values`. It may still be too large,
 * when no single text is to blame. Throws StoreUnavailableError.
 */
export async function withoutLargeValues<Document extends object>(
  document: Document,
  values: ValueStore,
  maxBytes = MAX_DOCUMENT_BYTES,
): Promise<Document> {
  if (!isTooLarge(document, maxBytes)) return document;
  let excess = jsonBytes(document) - maxBytes;
  const candidates = [...textsIn(document, [])].sort((a, b) => b.bytes - a.bytes);
  const moved: { readonly path: Path; readonly pointer: ValuePointer }[] = [];
  for (const { path, text, bytes } of candidates) {
    if (excess <= 0 || bytes < MIN_MOVED_BYTES) break;
    moved.push({ path, pointer: await moveOut(text, values) });
    excess -= bytes - POINTER_BYTES;
  }
  return moved.reduce((copy, { path, pointer }) => replaced(copy, path, pointer), document);
}

/** `value` with every pointer in it resolved. Throws StoreUnavailableError, also when a blob is gone. */
export async function withLargeValues<Value>(value: Value, values: ValueStore): Promise<Value> {
  const jobs: Promise<{ readonly path: Path; readonly text: string }>[] = [];
  for (const { path, pointer } of pointersIn(value, [])) {
    jobs.push(readValue(pointer, values).then((text) => ({ path, text })));
  }
  const texts = await Promise.all(jobs);
  return texts.reduce((copy, { path, text }) => replaced(copy, path, text), value);
}

export function isPointer(value: unknown): value is ValuePointer {
  return (
    typeof value === 'object' &&
    value !== null &&
    '$blob' in value &&
    typeof value.$blob === 'string' &&
    'sha256' in value
  );
}

/** Whether `text` is what `pointer` stands for. */
export function standsFor(pointer: ValuePointer, text: string): boolean {
  return pointerTo(text).pointer.sha256 === pointer.sha256;
}

async function moveOut(text: string, values: ValueStore): Promise<ValuePointer> {
  const { pointer, content } = pointerTo(text);
  await values.write(pointer.$blob, content);
  return pointer;
}

function pointerTo(text: string): { readonly pointer: ValuePointer; readonly content: Buffer } {
  const encoding = text.isWellFormed() ? {} : ({ encoding: 'utf-16le' } as const);
  const content = Buffer.from(text, encoding.encoding ?? 'utf8');
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { pointer: { $blob: sha256, bytes: content.byteLength, sha256, ...encoding }, content };
}

async function readValue(pointer: ValuePointer, values: ValueStore): Promise<string> {
  return (await values.read(pointer.$blob)).toString(pointer.encoding ?? 'utf8');
}

function* textsIn(value: object, path: Path): Generator<Candidate> {
  for (const [name, member] of Object.entries(value)) {
    const memberPath = [...path, name];
    if (typeof member === 'string') yield { path: memberPath, text: member, bytes: jsonBytes(member) };
    else if (member !== null && typeof member === 'object') yield* textsIn(member, memberPath);
  }
}

function* pointersIn(value: unknown, path: Path): Generator<{ readonly path: Path; readonly pointer: ValuePointer }> {
  if (isPointer(value)) yield { path, pointer: value };
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* pointersIn(member, [...path, name]);
  }
}

/** A copy of `value` with the member at `path` replaced; what is not on the path is shared. */
function replaced<Value>(value: Value, path: Path, member: JsonValue | ValuePointer): Value {
  return replacedAt(value, path, 0, member) as Value;
}

function replacedAt(value: unknown, path: Path, depth: number, member: unknown): unknown {
  const name = path[depth];
  if (name === undefined) return member;
  if (Array.isArray(value)) {
    return value.map((each, index) => (String(index) === name ? replacedAt(each, path, depth + 1, member) : each));
  }
  const entries = Object.entries(value as object);
  return Object.fromEntries(
    entries.map(([key, each]) => [key, key === name ? replacedAt(each, path, depth + 1, member) : each]),
  );
}
