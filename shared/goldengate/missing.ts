import type { Columns, JsonValue } from '../change/json.ts';
import { member, setMember } from './members.ts';

/**
 * Some producers name every column, give those that were not captured the value null, and say so in a helper beside it:
 * `<column>_isMissing`. Helpers without a column are columns themselves.
 */
const HELPER = '_isMissing';
const LAST_OF_HELPER = HELPER.charCodeAt(HELPER.length - 1);

/** Whether `name` is one that a helper has. */
export function isHelper(name: string): boolean {
  // Asked for every column of every image: most names end in another letter.
  return name.charCodeAt(name.length - 1) === LAST_OF_HELPER && name.endsWith(HELPER);
}

/** The columns that `image` knows: without those that it says are missing, and without its helpers. */
export function knownColumns(image: Columns): Columns {
  if (!hasHelper(image)) return image;
  const known: { [column: string]: JsonValue } = {};
  for (const name of Object.keys(image)) {
    if (!isHelperIn(image, name) && !isMissing(image, name)) setMember(known, name, image[name] ?? null);
  }
  return known;
}

function hasHelper(image: Columns): boolean {
  for (const name in image) if (isHelperIn(image, name)) return true;
  return false;
}

/** Whether `name` is that of a helper whose column `image` has too. */
export function isHelperIn(image: Columns, name: string): boolean {
  return isHelper(name) && Object.hasOwn(image, name.slice(0, -HELPER.length));
}

/** Whether a helper in `image` says that the column `name`, which need not be there itself, was not captured. */
export function isMissing(image: Columns, name: string): boolean {
  const helper = member(image, name + HELPER);
  return helper === true || helper === 'true';
}
