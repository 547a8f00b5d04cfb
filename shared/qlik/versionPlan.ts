import { type AvroRecord, type AvroType, parseAvroSchema } from '../avro/schema.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { type AvroReader, readerOf } from './avroReader.ts';
import { isMarked } from './masks.ts';
import type { DataMessage } from './message.ts';
import type { TableVersion } from './metadata.ts';
import { type QlikType, qlikType } from './types.ts';

export interface PlannedColumn {
  readonly name: string;
  /** From 1. */
  readonly ordinal: number;
  readonly type: QlikType;
}

/** Masks remembered; a table has few, unless many of its columns cannot be captured. */
const MAX_REMEMBERED_MASKS = 1_000;

/** One version of a table with what need not be worked out for each of its messages. */
export class VersionPlan {
  readonly version: TableVersion;
  readonly columns: ReadonlyMap<string, PlannedColumn>;
  readonly key: readonly string[];
  /** Columns whose values are not just kept as sent. */
  readonly typed: readonly PlannedColumn[];
  /** Those of them whose values are not exact already as the reader of Avro messages gives them. */
  #typedInAvro: readonly PlannedColumn[] | undefined;
  readonly #complete = new Map<string, boolean>();
  #reader: AvroReader | UnprocessableError | undefined;

  constructor(version: TableVersion) {
    this.version = version;
    this.key = version.key;
    this.columns = new Map(
      version.columns.map(({ name, ordinal, type }) => [name, { name, ordinal, type: qlikType(type) }]),
    );
    this.typed = [...this.columns.values()].filter(({ type }) => !type.isText);
  }

  readonly ordinalOf = (column: string): number | undefined => this.columns.get(column)?.ordinal;

  /** Whether `mask` marks every column of the table. */
  marksAll(mask: string): boolean {
    const known = this.#complete.get(mask);
    if (known !== undefined) return known;
    const marksAll = [...this.columns.values()].every(({ ordinal }) => isMarked(mask, ordinal));
    if (this.#complete.size >= MAX_REMEMBERED_MASKS) this.#complete.clear();
    this.#complete.set(mask, marksAll);
    return marksAll;
  }

  /**
   * Reads the table's data messages in Avro. Made at first use: a schema that cannot be used must not keep the same table's
   * JSON out. Throws UnprocessableError (`illegal-schema`).
   */
  get reader(): AvroReader {
    this.#reader ??= this.#makeReader();
    if (this.#reader instanceof UnprocessableError) throw this.#reader;
    return this.#reader;
  }

  typedIn(form: DataMessage['form']): readonly PlannedColumn[] {
    return form === 'avro' ? (this.#typedInAvro ?? this.typed) : this.typed;
  }

  #makeReader(): AvroReader | UnprocessableError {
    const { dataSchema } = this.version;
    if (dataSchema === null) return new UnprocessableError('illegal-schema', 'the metadata came without a dataSchema');
    try {
      const schema = parseAvroSchema(dataSchema);
      const exact = exactColumns(schema);
      this.#typedInAvro = this.typed.filter(({ name, type }) => !type.isExactInAvro(exact.get(name) ?? NULL_TYPE));
      return readerOf(schema);
    } catch (error) {
      if (error instanceof UnprocessableError) return error;
      throw error;
    }
  }
}

const NULL_TYPE: AvroType = { kind: 'null' };

/** The Avro types of the columns: members of the records that are members of the message's. */
function exactColumns(schema: AvroType): ReadonlyMap<string, AvroType> {
  const columns = new Map<string, AvroType>();
  for (const section of membersOf(schema)) {
    for (const { name, type } of membersOf(withoutNull(section.type))) columns.set(name, withoutNull(type));
  }
  return columns;
}

function membersOf(type: AvroType): AvroRecord['fields'] {
  return type.kind === 'record' ? type.fields : [];
}

function withoutNull(type: AvroType): AvroType {
  if (type.kind !== 'union') return type;
  const [only, ...others] = type.branches.filter(({ kind }) => kind !== 'null');
  return only === undefined || others.length > 0 ? type : only;
}
