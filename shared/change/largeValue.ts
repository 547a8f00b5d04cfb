/**
 * What stands in a document for a value that is in Blob Storage. A source may send an object that looks the same, so looks
 * say nothing: a stored document lists where its pointers are, and in memory they are of this class.
 */
export class LargeValue implements ValuePointer {
  readonly $blob: string;
  readonly bytes: number;
  readonly sha256: string;
  declare readonly encoding?: 'utf-16le';

  constructor({ $blob, bytes, sha256, encoding }: ValuePointer) {
    this.$blob = $blob;
    this.bytes = bytes;
    this.sha256 = sha256;
    if (encoding !== undefined) this.encoding = encoding;
  }
}

/** A pointer as it is written. */
export interface ValuePointer {
  /** Name of the blob in the container `tributary-values`. */
  readonly $blob: string;
  /** Size of the blob. */
  readonly bytes: number;
  readonly sha256: string;
  /** Absent for UTF-8. A text cut inside a surrogate pair has no UTF-8 form. */
  readonly encoding?: 'utf-16le';
}

/** Names of members, from a document inwards. */
export type Path = readonly string[];

/** A document as it is stored. */
export interface HoldsPointers {
  /** Where its pointers are; absent where it has none. */
  readonly largeValues?: readonly Path[];
}

/** Whether `value` looks like a pointer. */
export function isPointer(value: unknown): value is ValuePointer {
  return (
    typeof value === 'object' &&
    value !== null &&
    '$blob' in value &&
    typeof value.$blob === 'string' &&
    'sha256' in value
  );
}

/** A stored document, or a part of one that has its list, as it is in memory. */
export function revived<Document extends object>(stored: Document & HoldsPointers): Document {
  const members = (stored.largeValues ?? []).map((path) => {
    const member = memberAt(stored, path);
    return isPointer(member) ? new LargeValue(member) : member;
  });
  return withMembers(stored, members);
}

/** `stored` without its list, and with `members` at the places that the list names. */
export function withMembers<Document extends object>(
  stored: Document & HoldsPointers,
  members: readonly unknown[],
): Document {
  const { largeValues, ...document } = stored;
  if (largeValues === undefined) return stored;
  return largeValues.reduce<Document>(
    (copy, path, index) => replaced(copy, path, () => members[index]),
    document as unknown as Document,
  );
}

/** A document as it is to be stored: with the list of its pointers, where it has any. */
export function listed<Document extends object>(document: Document): Document {
  if (!holdsLargeValue(document)) return document;
  return { ...document, largeValues: [...pathsOfLargeValues(document, [])] };
}

/** The member of `value` at `path`; undefined where there is none. */
export function memberAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    return (at as { readonly [name: string]: unknown })[name];
  }, value);
}

/** A copy of `value` with the member at `path`, if there is one, replaced; what is not on the path is shared. */
export function replaced<Value>(value: Value, path: Path, replacement: (member: unknown) => unknown): Value {
  return replacedAt(value, path, 0, replacement) as Value;
}

function replacedAt(value: unknown, path: Path, depth: number, replacement: (member: unknown) => unknown): unknown {
  const name = path[depth];
  if (name === undefined) return replacement(value);
  if (typeof value !== 'object' || value === null) return value;
  const next = (member: unknown) => replacedAt(member, path, depth + 1, replacement);
  if (Array.isArray(value)) return value.map((each, index) => (String(index) === name ? next(each) : each));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, key === name ? next(each) : each]));
}

/** Looked for in every document that is written: without allocation. */
function holdsLargeValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof LargeValue) return true;
  for (const name in value) if (holdsLargeValue((value as { [name: string]: unknown })[name])) return true;
  return false;
}

function* pathsOfLargeValues(value: object, path: Path): Generator<Path> {
  for (const [name, member] of Object.entries(value)) {
    if (member instanceof LargeValue) yield [...path, name];
    else if (typeof member === 'object' && member !== null) yield* pathsOfLargeValues(member, [...path, name]);
  }
}
