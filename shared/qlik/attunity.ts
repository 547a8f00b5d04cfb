import type { Columns, JsonValue } from '../change/json.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { type DataMessage, isObject, type JsonObject } from './message.ts';

/*
 * The format that Attunity Replicate had before the envelope: `op` is one letter, rows are arrays of objects with one member
 * each, all values are texts, and SQL NULL is the text `NULL`. A real text `NULL` looks the same, so that columns taken for
 * null are named in the change.
 */

const OPERATIONS: { readonly [letter: string]: string } = { F: 'REFRESH', I: 'INSERT', U: 'UPDATE', D: 'DELETE' };
const NULL_TEXT = 'NULL';

export function isAttunity(value: JsonObject): boolean {
  return typeof value.op === 'string' && (Array.isArray(value.data) || Array.isArray(value.bu_data));
}

/** Throws UnprocessableError (`invalid-envelope`) where a row is not what the format says. */
export function fromAttunity(value: JsonObject): DataMessage {
  const { op, schema, table, change_seq, ts, stream_position } = value;
  const nullTexts = new Set<string>();
  const name = typeof table === 'string' && table !== '' ? table : null;
  return {
    kind: 'data',
    schemaId: null,
    table: name !== null && typeof schema === 'string' && schema !== '' ? `${schema}.${name}` : name,
    data: rowOf(value.data, nullTexts),
    beforeData: rowOf(value.bu_data, nullTexts),
    headers: {
      operation: OPERATIONS[String(op).toUpperCase()] ?? String(op),
      changeSequence: change_seq ?? null,
      timestamp: ts ?? null,
      streamPosition: stream_position ?? null,
    },
    messageKey: null,
    form: 'attunity',
    nullTexts: [...nullTexts],
  };
}

function rowOf(sent: JsonValue | undefined, nullTexts: Set<string>): Columns | null {
  if (!Array.isArray(sent) || sent.length === 0) return null;
  const columns = sent.flatMap((item: JsonValue): [string, JsonValue][] => {
    if (!isObject(item)) throw new UnprocessableError('invalid-envelope', 'a row is no array of objects');
    return Object.entries(item).map(([column, value]) => {
      if (value !== NULL_TEXT) return [column, value];
      nullTexts.add(column);
      return [column, null];
    });
  });
  return Object.fromEntries(columns);
}
