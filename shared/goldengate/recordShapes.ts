import type { JsonValue } from '../change/json.ts';
import { type DividedRecord, divideRecord } from './dividedRecord.ts';
import type { FieldNames } from './fieldNames.ts';
import { type JsonObject, member } from './members.ts';
import { RecordShape } from './recordShape.ts';
import { MAX_TABLE_NAME_LENGTH } from './tableTraits.ts';

/** Tables whose shapes are remembered; beyond it all are forgotten, and what is still in use comes back. */
const MAX_TABLES = 1_000;
/** Shapes of one table: a few operations, each with and without some columns. */
const MAX_SHAPES_PER_TABLE = 4;
/** Characters of the names of a shape that is one: enough for 1,000 columns in two images. */
const MAX_SHAPE_LENGTH = 100_000;
/** Characters of the names of all shapes; beyond it all are forgotten, too. */
const MAX_LENGTH = 4_000_000;
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
  /** Of all that are remembered by table. */
  #length = 0;

  constructor(fields: FieldNames, delimiter: string) {
    this.#fields = fields;
    this.#delimiter = delimiter;
  }

  /** As `divideRecord` does. */
  divide(record: JsonObject): DividedRecord {
    let shape = this.#last;
    if (shape?.fits(record) !== true) {
      const other = this.#lastButOne;
      shape = other?.fits(record) === true ? other : this.#ofTable(record);
      if (shape === undefined) return divideRecord(record, this.#fields, this.#delimiter);
      this.#lastButOne = this.#last;
      this.#last = shape;
    }
    return shape.divide(record);
  }

  /** Undefined for a shape that is too long to remember. */
  #ofTable(record: JsonObject): RecordShape | undefined {
    const [dataStream, classic] = this.#fields.table;
    const table = keyOf(member(record, dataStream) ?? member(record, classic));
    const known = this.#ofTables.get(table);
    if (known !== undefined) for (const shape of known) if (shape.fits(record)) return shape;
    const shape = new RecordShape(record, this.#fields, this.#delimiter);
    if (shape.length > MAX_SHAPE_LENGTH) return undefined;
    this.#remember(shape, table);
    return shape;
  }

  #remember(shape: RecordShape, table: string): void {
    const isFull = this.#ofTables.size === MAX_TABLES && !this.#ofTables.has(table);
    if (isFull || this.#length + shape.length > MAX_LENGTH) {
      this.#ofTables.clear();
      this.#length = 0;
    }
    const shapes = this.#ofTables.get(table) ?? [];
    if (shapes.length === MAX_SHAPES_PER_TABLE) this.#length -= shapes.shift()?.length ?? 0;
    shapes.push(shape);
    this.#ofTables.set(table, shapes);
    this.#length += shape.length;
  }
}

/** Names are as they were sent: not even asking a value for its text is safe. */
function keyOf(table: JsonValue | undefined): string {
  return typeof table === 'string' && table.length <= MAX_TABLE_NAME_LENGTH ? table : NO_TABLE;
}
