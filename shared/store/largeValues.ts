import { createHash } from 'node:crypto';
import {
  type HoldsPointers,
  isPointer,
  LargeValue,
  listed,
  memberAt,
  type Path,
  replaced,
  type ValuePointer,
  withMembers,
} from '../change/largeValue.ts';
import { isTooLarge, jsonBytes, MAX_DOCUMENT_BYTES } from './documentSize.ts';
import { ValueGoneError } from './errors.ts';
import type { ValueStore } from './valueStore.ts';

/*
 * Documents end at 2 MB, rows do not. From a document that would be too large the largest texts move to Blob Storage,
 * largest first until it fits, each replaced by a pointer, and the document lists where. A blob is named by the hash of its
 * content: moving a value twice, or on two instances at once, is harmless. The blob is written before the document that
 * points to it.
 */

/** What a pointer takes in the document, at the most. */
const POINTER_BYTES = 256;
/** What the list takes besides its paths. */
const LIST_BYTES = ',"largeValues":[]'.length;
/** Shorter texts stay: they free little, and ids, keys and names of tables are among them. */
const MIN_MOVED_BYTES = 1_024;

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
  document: Document & HoldsPointers,
  values: ValueStore,
  maxBytes = MAX_DOCUMENT_BYTES,
): Promise<Document> {
  if (!isTooLarge(document, maxBytes)) return document;
  const { largeValues = [], ...others } = document;
  let excess = jsonBytes(document) + LIST_BYTES - maxBytes;
  const candidates = [...textsIn(others, [])].sort((a, b) => b.bytes - a.bytes);
  const moved: { readonly path: Path; readonly pointer: ValuePointer }[] = [];
  for (const { path, text, bytes } of candidates) {
    if (excess <= 0 || bytes < MIN_MOVED_BYTES) break;
    const added = POINTER_BYTES + jsonBytes(path) + 1;
    if (bytes <= added) continue;
    moved.push({ path, pointer: await moveOut(text, values) });
    excess -= bytes - added;
  }
  if (moved.length === 0) return document;
  const slim = moved.reduce((copy, { path, pointer }) => replaced(copy, path, () => pointer), document);
  return { ...slim, largeValues: [...largeValues, ...moved.map(({ path }) => path)] };
}

/** A stored document with its large values read back. Throws StoreUnavailableError, ValueGoneError. */
export async function withLargeValues<Document extends object>(
  stored: Document & HoldsPointers,
  values: ValueStore,
): Promise<Document> {
  return resolved(stored, (pointer) => readValue(pointer, values));
}

/**
 * As `withLargeValues`, but values that are gone stay pointers. What `sent` has at the same place need not be read, if it is
 * the same. Throws StoreUnavailableError.
 */
export async function withReadableValues<Document extends object>(
  stored: Document & HoldsPointers,
  values: ValueStore,
  sent: object = {},
): Promise<Document> {
  const document = await resolved(stored, async (pointer, path) => {
    const own = memberAt(sent, path);
    if (typeof own === 'string' && standsFor(pointer, own)) return own;
    try {
      return await readValue(pointer, values);
    } catch (error) {
      if (error instanceof ValueGoneError) return new LargeValue(pointer);
      throw error;
    }
  });
  return listed(document);
}

/** Whether `text` is what `pointer` stands for. */
export function standsFor(pointer: ValuePointer, text: string): boolean {
  return pointerTo(text).pointer.sha256 === pointer.sha256;
}

async function resolved<Document extends object>(
  stored: Document & HoldsPointers,
  read: (pointer: ValuePointer, path: Path) => Promise<string | LargeValue>,
): Promise<Document> {
  const members = await Promise.all(
    (stored.largeValues ?? []).map((path) => {
      const pointer = memberAt(stored, path);
      return isPointer(pointer) ? read(pointer, path) : pointer;
    }),
  );
  return withMembers(stored, members);
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
