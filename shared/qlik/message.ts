import type { Columns, JsonValue } from '../change/json.ts';

export type JsonObject = { readonly [name: string]: JsonValue };

/** A data message (`DT`), whatever it was wrapped and encoded in. */
export interface DataMessage {
  readonly kind: 'data';
  /** `messageSchemaId`, or what names the registered schema that it was framed with; null where no metadata is published. */
  readonly schemaId: string | null;
  /** `<schema>.<table>` where the message says so itself. */
  readonly table: string | null;
  readonly data: Columns | null;
  readonly beforeData: Columns | null;
  /** The headers as sent, masks of an Avro message as hexadecimal digits. */
  readonly headers: JsonObject;
  /** The key of the record that carried the message, where there was one with named columns. */
  readonly messageKey: Columns | null;
  /** `avro`: masks were bytes. `attunity`: converted from the format before the envelope. */
  readonly form: 'json' | 'avro' | 'attunity';
  /** Columns whose text `NULL` was taken for SQL NULL; only of the form `attunity`. */
  readonly nullTexts?: readonly string[];
}

/** A metadata message (`MD`): its content, not checked yet. */
export interface MetadataMessage {
  readonly kind: 'metadata';
  readonly schemaId: string | null;
  readonly content: JsonObject;
}

export type QlikMessage = DataMessage | MetadataMessage;

/** The operations that Replicate sends, in the words that it uses. */
export type Operation = 'REFRESH' | 'INSERT' | 'UPDATE' | 'DELETE';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
