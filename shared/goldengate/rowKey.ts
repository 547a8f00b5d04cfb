import type { RowKey } from '../change/change.ts';
import { canonicalDecimal, exactNumber } from '../change/exact.ts';
import { type Columns, canonicalJson, type JsonValue } from '../change/json.ts';
import { rowId } from '../change/keys.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { member, setMember } from './members.ts';

/** Of so many whole numbers the id is their digits: nothing to encode, and short enough. */
const MAX_PLAIN_COLUMNS = 8;

/** A column of a table's key. `type` as the stream declares it; null where nothing is declared. */
export interface KeyColumn {
  readonly name: string;
  readonly type: string | null;
}

/**
 * The key of the row that the images show, each column from the first that has it. Undefined when neither has one of
 * it.
 */
export function keyIn(key: readonly KeyColumn[], first: Columns | null, second: Columns | null): RowKey | undefined {
  const keys: { [column: string]: JsonValue } = {};
  let plain: string | undefined = '';
  for (const { name, type } of key) {
    let sent = first === null ? undefined : member(first, name);
    if (sent === undefined && second !== null) sent = member(second, name);
    if (sent === undefined) return undefined;
    const value = typed(sent, type);
    setMember(keys, name, value);
    if (!Number.isSafeInteger(value)) plain = undefined;
    else if (plain !== undefined) plain = plain === '' ? String(value) : `${plain},${value}`;
  }
  if (plain !== undefined && key.length <= MAX_PLAIN_COLUMNS) return { key: plain, keys };
  return { key: rowId(key.map(({ name }) => keyText(member(keys, name) ?? null))), keys };
}

/**
 * The key columns as `names` list them, of the types that are declared. Throws UnprocessableError (`invalid-envelope`)
 * for what is no list of names.
 */
export function listedKey(
  names: JsonValue | undefined,
  types: { readonly [column: string]: string },
): readonly KeyColumn[] | undefined {
  if (names === undefined || names === null) return undefined;
  const list = typeof names === 'string' ? names.split(',').map((name) => name.trim()) : names;
  if (!Array.isArray(list) || !list.every((name) => typeof name === 'string' && name !== '')) {
    throw new UnprocessableError('invalid-envelope', 'the list of primary keys is no list of names');
  }
  const typeOf = (name: string) => (Object.hasOwn(types, name) ? types[name] : undefined);
  return list.length === 0 ? undefined : list.map((name: string) => ({ name, type: typeOf(name) ?? null }));
}

/** The value as its declared type spells it: one key, sent as `600` and as `"600"`, is one key. */
function typed(value: JsonValue, type: string | null): JsonValue {
  if (value === null || typeof value === 'object') return value;
  if (type === 'number' || type === 'integer') {
    if (Number.isSafeInteger(value)) return value;
    const plain = canonicalDecimal(String(value));
    return plain === undefined ? value : exactNumber(plain);
  }
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return type === 'string' ? String(value) : value;
}

function keyText(value: JsonValue): string | null {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return plainText(value);
  return canonicalJson(value);
}

function plainText(number: number): string {
  const text = String(number);
  return Number.isSafeInteger(number) ? text : (canonicalDecimal(text) ?? text);
}
