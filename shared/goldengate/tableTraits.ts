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

/** Tables that are remembered; beyond it all are forgotten, and what is still in use comes back. */
const MAX_TABLES = 1_000;

/** The traits of the tables of one stream, worked out once instead of with every record. */
export class TableTraitsCache {
  readonly #make: (name: string, knowledge: TableKnowledge) => TableTraits;
  readonly #traits = new Map<string, TableTraits>();
  /** The next record is mostly of the same table. */
  #last: TableTraits | undefined;

  constructor(make: (name: string, knowledge: TableKnowledge) => TableTraits) {
    this.#make = make;
  }

  of(name: string, knowledge: TableKnowledge): TableTraits {
    const last = this.#last;
    if (last !== undefined && last.knowledge === knowledge && last.name === name) return last;
    let traits = this.#traits.get(name);
    if (traits === undefined || traits.knowledge !== knowledge) {
      traits = this.#make(name, knowledge);
      if (this.#traits.size === MAX_TABLES) this.#traits.clear();
      this.#traits.set(name, traits);
    }
    this.#last = traits;
    return traits;
  }
}
