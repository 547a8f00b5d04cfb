import type { JsonValue } from '../change/json.ts';
import type { DividedRecord } from './dividedRecord.ts';
import type { FieldNames } from './fieldNames.ts';
import { type JsonObject, member } from './members.ts';
import { RecordShape } from './recordShape.ts';

/** Tables whose shapes are remembered; beyond it all are forgotten, and what is still in use comes back. */
const MAX_TABLES = 1_000;
/** Shapes of one table: a few operations, each with and without some columns. */
const MAX_SHAPES_PER_TABLE = 4;
/** Members of a shape worth remembering; a table has no more columns than 1,000. */
const MAX_REMEMBERED_MEMBERS = 2_000;
/** Characters of a table's name that is one; longer names would stay in memory for nothing. */
const MAX_NAME_LENGTH = 800;
/** Where the shapes of all records are remembered that name no table. */
const NO_TABLE = '';

/** Divides the records of one stream, and remembers the shapes that they have had lately. */
export class RecordShapes {
  readonly #fields: FieldNames;
  readonly #delimiter: string;
  readonly #ofTables = new Map<string, RecordShape[]>();
  /** Whatever their tables: the next record mostly has one of them. */
  #last: RecordShape | undefined;
  #lastButOne: RecordShape | undefined;

  constructor(fields: FieldNames, delimiter: string) {
    this.#fields = fields;
    this.#delimiter = delimiter;
  }

  /** As `divideRecord` does. */
  divide(record: JsonObject): DividedRecord {
    let shape = this.#last;
    if (shape?.fits(record) !== true) {
      const other = this.#lastButOne;
      this.#lastButOne = shape;
      shape = other?.fits(record) === true ? other : this.#ofTable(record);
      this.#last = shape;
    }
    return shape.divide(record);
  }

  #ofTable(record: JsonObject): RecordShape {
    const [dataStream, classic] = this.#fields.table;
    const table = keyOf(member(record, dataStream) ?? member(record, classic));
    const known = this.#ofTables.get(table);
    if (known !== undefined) for (const shape of known) if (shape.fits(record)) return shape;
    const shape = new RecordShape(record, this.#fields, this.#delimiter);
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

/** Names are as they were sent: not even asking a value for its text is safe. */
function keyOf(table: JsonValue | undefined): string {
  return typeof table === 'string' && table.length <= MAX_NAME_LENGTH ? table : NO_TABLE;
}
