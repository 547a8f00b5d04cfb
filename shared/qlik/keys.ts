import type { RowKey } from '../change/change.ts';
import type { Columns, JsonValue } from '../change/json.ts';
import { rowId } from '../change/keys.ts';
import type { ColumnMasks } from './columnMasks.ts';
import { isMarked } from './masks.ts';
import { qlikType } from './types.ts';
import type { VersionPlan } from './versionPlan.ts';

const UNTYPED = qlikType(null);

/** The key that `image` holds; undefined where it lacks a column of it. One value written two ways gives one id. */
export function keyOf(image: Columns, names: readonly string[], plan: VersionPlan | null): RowKey | undefined {
  const [only] = names;
  if (names.length === 1 && only !== undefined) {
    const value = Object.hasOwn(image, only) ? image[only] : undefined;
    if (value === undefined) return undefined;
    return { keys: { [only]: value }, key: rowId([keyTextOf(only, value, plan)]) };
  }
  const columns: [string, JsonValue][] = [];
  const parts: (string | null)[] = [];
  for (const name of names) {
    const value = Object.hasOwn(image, name) ? image[name] : undefined;
    if (value === undefined) return undefined;
    columns.push([name, value]);
    parts.push(keyTextOf(name, value, plan));
  }
  return { keys: Object.fromEntries(columns), key: rowId(parts) };
}

/** Tells the usual case, that the key columns of two images are equal, without working out keys. */
export function haveOneKey(a: Columns, b: Columns, names: readonly string[]): boolean {
  return names.every((name) => Object.hasOwn(a, name) && Object.hasOwn(b, name) && a[name] === b[name]);
}

/** The columns that a delete's `changeMask` marks, which are those of the key; undefined where it marks none that is there. */
export function keyOfDelete(image: Columns, { changeMask, ordinalOf }: ColumnMasks): readonly string[] | undefined {
  if (changeMask === undefined) return undefined;
  const marked = Object.keys(image).filter((name) => {
    const ordinal = ordinalOf(name);
    return ordinal !== undefined && isMarked(changeMask, ordinal);
  });
  return marked.length === 0 ? undefined : marked;
}

function keyTextOf(name: string, value: JsonValue, plan: VersionPlan | null): string | null {
  return (plan?.columns.get(name)?.type ?? UNTYPED).keyText(value);
}
