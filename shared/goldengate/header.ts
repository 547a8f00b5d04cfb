import type { JsonValue } from '../change/json.ts';
import type { FieldNames } from './fieldNames.ts';
import { type JsonObject, member } from './members.ts';

/** The fields that every change needs, as they were sent; undefined where the record has none. */
export interface Header {
  /** The table as a Data Stream names it. */
  readonly dataStreamTable: JsonValue | undefined;
  readonly opTime: JsonValue | undefined;
  readonly position: JsonValue | undefined;
  readonly transaction: JsonValue | undefined;
  readonly tokens: JsonValue | undefined;
}

/** What each field of the header is called in a record. */
export function headerFields(names: FieldNames): { readonly [field in keyof Header]: string } {
  const { opTime, position, transaction } = names;
  return { dataStreamTable: names.table[0], opTime, position, transaction, tokens: 'tokens' };
}

export function headerOf(record: JsonObject, names: FieldNames): Header {
  const fields = headerFields(names);
  return {
    dataStreamTable: member(record, fields.dataStreamTable),
    opTime: member(record, fields.opTime),
    position: member(record, fields.position),
    transaction: member(record, fields.transaction),
    tokens: member(record, fields.tokens),
  };
}
