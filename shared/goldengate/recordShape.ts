import type { JsonValue } from '../change/json.ts';
import type { FieldNames } from './fieldNames.ts';
import { type Header, headerFields, headerOf } from './header.ts';
import { type JsonObject, member, setMember } from './members.ts';

/**
 * The three layouts of a record. `nested`: its images are the values of `before` and `after`. `flattened`: their names and
 * a delimiter precede each column's. `row`: what is no field is a column of the one image that there is.
 */
export type Layout = 'nested' | 'flattened' | 'row';

/** A record, taken apart. */
export interface Parted extends Header {
  /** The image as it was sent where the record nests it, which need not be an object; null where it has none. */
  readonly before: JsonValue;
  /** Likewise. In the layout `row` the one image that there is, of whatever it is. */
  readonly after: JsonValue;
  /** What is no image, verbatim. */
  readonly origin: JsonObject;
}

type Side = 'before' | 'after' | 'origin';

/** Ends the name of a member that tells whether a column is missing. */
export const HELPER = '_isMissing';

/** Where a member goes, and under which name. */
interface Move {
  readonly from: string;
  readonly to: Side;
  readonly as: string;
}

type Part = (record: JsonObject) => Parted;

/** Records of one shape after which code is made for it: fewer do not earn back what that costs. */
const USES_BEFORE_COMPILING = 64;
/** Members of a shape that code is made for: the engine lays out no larger literals. */
const MAX_COMPILED_MEMBERS = 256;

/** What the names of a record's members, in their order, say of it: the same for all records that name the same. */
export class RecordShape {
  readonly layout: Layout;
  /** Whether a column that its images do not nest is called as if it told that another is missing. */
  readonly hasHelpers: boolean;
  readonly #names: readonly string[];
  readonly #fields: FieldNames;
  readonly #moves: readonly Move[];
  #uses = 0;
  #part: Part;

  constructor(record: JsonObject, fields: FieldNames, delimiter: string) {
    this.#names = Object.keys(record);
    this.#fields = fields;
    this.layout = layoutOf(this.#names, fields, delimiter);
    this.#moves = movesOf(this.#names, this.layout, fields, delimiter);
    this.hasHelpers = this.#moves.some(({ to, as }) => to !== 'origin' && as.endsWith(HELPER));
    this.#part = (each) => partByMoves(each, this.layout, this.#moves, fields);
  }

  get size(): number {
    return this.#names.length;
  }

  /** Whether `record` has just the members of this shape, in their order. */
  fits(record: JsonObject): boolean {
    const names = this.#names;
    let at = 0;
    for (const name in record) if (names[at++] !== name) return false;
    return at === names.length;
  }

  /** Takes a record of this shape apart. */
  part(record: JsonObject): Parted {
    if (++this.#uses === USES_BEFORE_COMPILING && this.size <= MAX_COMPILED_MEMBERS) {
      this.#part = compiled(this.#names, this.layout, this.#moves, this.#fields);
    }
    return this.#part(record);
  }
}

function layoutOf(members: readonly string[], names: FieldNames, delimiter: string): Layout {
  if (members.includes(names.before) || members.includes(names.after)) return 'nested';
  const isPrefixed = (name: string) =>
    name.startsWith(names.after + delimiter) || name.startsWith(names.before + delimiter);
  return members.some((name) => !names.all.has(name) && isPrefixed(name)) ? 'flattened' : 'row';
}

function movesOf(names: readonly string[], layout: Layout, fields: FieldNames, delimiter: string): readonly Move[] {
  const { before, after, all } = fields;
  const prefixes = [
    ['after', after + delimiter],
    ['before', before + delimiter],
  ] as const;
  const columnOf = (name: string): Move => {
    if (layout === 'row') return { from: name, to: 'after', as: name };
    const [to, prefix] = prefixes.find(([, each]) => name.startsWith(each)) ?? ['origin', ''];
    // Beside the columns of flattened images, what has no prefix is the record's own.
    return { from: name, to, as: name.slice(prefix.length) };
  };
  const isNested = layout === 'nested';
  return names
    .filter((name) => !isNested || (name !== before && name !== after))
    .map((name) => (isNested || all.has(name) ? { from: name, to: 'origin', as: name } : columnOf(name)));
}

function partByMoves(record: JsonObject, layout: Layout, moves: readonly Move[], fields: FieldNames): Parted {
  const sides: { readonly [side in Side]: { [name: string]: JsonValue } } = { before: {}, after: {}, origin: {} };
  for (const { from, to, as } of moves) setMember(sides[to], as, record[from] ?? null);
  const image = (side: 'before' | 'after') => {
    if (layout === 'nested') return member(record, fields[side]) ?? null;
    return moves.some(({ to }) => to === side) ? sides[side] : null;
  };
  return { before: image('before'), after: image('after'), origin: sides.origin, ...headerOf(record, fields) };
}

/**
 * The same as code that just says what goes where: the engine then lays each object out once and looks no name up, which
 * takes a quarter of the time. Names come from outside; as JSON texts they are literals whatever they hold.
 */
function compiled(names: readonly string[], layout: Layout, moves: readonly Move[], fields: FieldNames): Part {
  const memberOf = (name: string) => (names.includes(name) ? `record[${JSON.stringify(name)}]` : undefined);
  const literal = (side: Side) => {
    const members = moves.filter(({ to }) => to === side).map(({ from, as }) => `${memberName(as)}: ${memberOf(from)}`);
    return members.length === 0 && side !== 'origin' ? 'null' : `{ ${members.join(', ')} }`;
  };
  const image = (side: 'before' | 'after') =>
    layout === 'nested' ? (memberOf(fields[side]) ?? 'null') : literal(side);
  const header = Object.entries(headerFields(fields)).map(([field, name]) => `${field}: ${memberOf(name)}`);
  const parted = [`before: ${image('before')}`, `after: ${image('after')}`, `origin: ${literal('origin')}`, ...header];
  return new Function('record', `return { ${parted.join(', ')} };`) as Part;
}

/** A literal's `__proto__` would be its prototype. */
function memberName(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
}
