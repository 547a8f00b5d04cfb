import type { JsonValue } from '../change/json.ts';
import type { FieldNames } from './fieldNames.ts';
import { type JsonObject, member } from './members.ts';

/** The fields that say what a record is, as they were sent; undefined where it has none. */
export interface Header {
  readonly opType: JsonValue | undefined;
  /** The table as a Data Stream names it, and as a classic record does. */
  readonly dataStreamTable: JsonValue | undefined;
  readonly classicTable: JsonValue | undefined;
  readonly opTime: JsonValue | undefined;
  readonly position: JsonValue | undefined;
  readonly transaction: JsonValue | undefined;
  readonly tokens: JsonValue | undefined;
}

export function headerOf(record: JsonObject, fields: FieldNames): Header {
  return {
    opType: member(record, fields.opType),
    dataStreamTable: member(record, fields.table[0]),
    classicTable: member(record, fields.table[1]),
    opTime: member(record, fields.opTime),
    position: member(record, fields.position),
    transaction: member(record, fields.transaction),
    tokens: member(record, fields.tokens),
  };
}
