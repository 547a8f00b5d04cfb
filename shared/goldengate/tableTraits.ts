import type { AmbiguousTable } from './columnsLikeFields.ts';
import type { TableKnowledge } from './dataChange.ts';

/** What all records of one table have in common, while the same is known of it. */
export interface TableTraits {
  /** The qualified name as the stream has it. */
  readonly name: string;
  readonly knowledge: TableKnowledge;
  /** `goldengate/<stream>/<qualified name>`. */
  readonly table: string;
  /** What the identities of its classic changes start with. */
  readonly identityStart: string;
  /** All columns by the table's metadata; without any, those that its schema declares. */
  readonly columns: readonly string[];
  /** What the table asks of its records; undefined where their names tell all. */
  readonly ambiguous: AmbiguousTable | undefined;
}

/** Characters of a table's name that is remembered; longer names would stay in memory for nothing. */
export const MAX_TABLE_NAME_LENGTH = 800;
/** Tables of which one thing is known that are remembered; beyond it all are forgotten, and what is in use comes back. */
const MAX_TABLES = 1_000;

/** The traits of the tables of one stream, worked out once instead of with every record. */
export class TableTraitsCache {
  readonly #make: (name: string, knowledge: TableKnowledge) => TableTraits;
  /** What is known of a table is as large as its metadata, and stays no longer than the request that asked for it. */
  readonly #traits = new WeakMap<TableKnowledge, Map<string, TableTraits>>();
  /** The next record is mostly of the same table. */
  #last: TableTraits | undefined;

  constructor(make: (name: string, knowledge: TableKnowledge) => TableTraits) {
    this.#make = make;
  }

  of(name: string, knowledge: TableKnowledge): TableTraits {
    const last = this.#last;
    if (last !== undefined && last.knowledge === knowledge && last.name === name) return last;
    const known = this.#traits.get(knowledge);
    let traits = known?.get(name);
    if (traits === undefined) {
      traits = this.#make(name, knowledge);
      if (name.length > MAX_TABLE_NAME_LENGTH) return traits;
      if (known === undefined) this.#traits.set(knowledge, new Map([[name, traits]]));
      else {
        if (known.size === MAX_TABLES) known.clear();
        known.set(name, traits);
      }
    }
    this.#last = traits;
    return traits;
  }
}
