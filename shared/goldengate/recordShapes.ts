import type { FieldNames } from './fieldNames.ts';
import type { JsonObject } from './members.ts';
import { RecordShape } from './recordShape.ts';

/** Tables whose shapes are remembered; beyond it all are forgotten, and what is still in use comes back. */
const MAX_TABLES = 1_000;
/** Shapes of one table: a few operations, each with and without some columns. */
const MAX_SHAPES_PER_TABLE = 4;
/** Members of a shape worth remembering; a table has no more columns than 1,000. */
const MAX_REMEMBERED_MEMBERS = 2_000;

/** The shapes that the records of one stream have had lately. */
export class RecordShapes {
  readonly #names: FieldNames;
  readonly #delimiter: string;
  readonly #ofTables = new Map<string, RecordShape[]>();
  /** Whatever its table: the next record mostly has the same. */
  #last: RecordShape | undefined;

  constructor(names: FieldNames, delimiter: string) {
    this.#names = names;
    this.#delimiter = delimiter;
  }

  /** The shape of `record`, which is about `table`. */
  of(record: JsonObject, table: string): RecordShape {
    if (this.#last?.fits(record) !== true) this.#last = this.#ofTable(record, table);
    return this.#last;
  }

  #ofTable(record: JsonObject, table: string): RecordShape {
    const known = this.#ofTables.get(table);
    if (known !== undefined) for (const shape of known) if (shape.fits(record)) return shape;
    const shape = new RecordShape(record, this.#names, this.#delimiter);
    if (shape.size <= MAX_REMEMBERED_MEMBERS) this.#remember(shape, table, known);
    return shape;
  }

  #remember(shape: RecordShape, table: string, known: RecordShape[] | undefined): void {
    if (known !== undefined) {
      if (known.length === MAX_SHAPES_PER_TABLE) known.shift();
      known.push(shape);
      return;
    }
    if (this.#ofTables.size === MAX_TABLES) this.#ofTables.clear();
    this.#ofTables.set(table, [shape]);
  }
}
