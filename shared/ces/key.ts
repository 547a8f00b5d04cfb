import type { Columns, JsonValue } from '../change/json.ts';
import { rowId } from '../change/keys.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { isObject } from './exactParse.ts';
import { type ImageNotes, readValue, setColumn } from './images.ts';
import type { TableShape } from './tableShape.ts';

/** The key of a row: its columns in key order with typed values, and the row's id. */
export interface CesKey {
  readonly keys: Columns;
  readonly key: string;
}

/** Exact values of the key columns, in key order. */
export type KeyValues = readonly JsonValue[];

/** The values of `pkkey` as exact values by the types of their columns; undefined where an item has no value. */
export function sentKey(
  pkkey: readonly JsonValue[],
  shape: TableShape,
  notes: ImageNotes,
): readonly (JsonValue | undefined)[] {
  return shape.key.map((column, at) => {
    const item = pkkey[at];
    const value = isObject(item) ? item.value : undefined;
    return value === undefined ? undefined : readValue(column.name, value, column, notes);
  });
}

/**
 * The key by an image, completed by `sent` (see `sentKey`) where the image lacks a column of it. Throws
 * UnprocessableError (`invalid-envelope`) where neither has a column of the key.
 */
export function keyValues(
  image: Columns | null,
  sent: readonly (JsonValue | undefined)[],
  shape: TableShape,
): KeyValues {
  return shape.key.map(({ name }, at) => {
    const value = image !== null && Object.hasOwn(image, name) ? image[name] : sent[at];
    if (value === undefined) throw new UnprocessableError('invalid-envelope', 'a key column has no value');
    return value;
  });
}

/** The key that `values` are; one value written two ways gives one id. */
export function keyOf(values: KeyValues, { key }: TableShape): CesKey {
  const keys: { [column: string]: JsonValue } = {};
  const parts = key.map(({ name, type }, at) => {
    const value = values[at] ?? null;
    setColumn(keys, name, value);
    return type.keyText(value);
  });
  return { keys, key: rowId(parts) };
}

/** Tells the usual case, that a key did not change, without working out ids. */
export function areIdentical(a: KeyValues, b: KeyValues): boolean {
  return a.every((value, at) => value === b[at]);
}
