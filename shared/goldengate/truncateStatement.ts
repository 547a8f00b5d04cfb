import type { FieldNames } from './fieldNames.ts';
import { isObject, type JsonObject, member } from './members.ts';

const TRUNCATE = 'TRUNCATE';
const TABLE = 'TABLE';
const BLANK = /\s/;
/** What may not follow a word that is whole; names may have letters of every script. */
const OF_A_WORD = /[\p{L}\p{N}_$#]/u;

/**
 * Whether the statement of a DDL record empties its table: `TRUNCATE TABLE …`, whatever its options. One that empties
 * a partition or a cluster does not.
 */
export function truncatesTable(record: JsonObject, fields: FieldNames): boolean {
  const ddl = member(record, fields.ddl);
  const statement = isObject(ddl) ? member(ddl, 'statement') : undefined;
  if (typeof statement !== 'string') return false;
  const start = afterBlanks(statement, 0);
  if (!hasWord(statement, start, TRUNCATE)) return false;
  return hasWord(statement, afterBlanks(statement, start + TRUNCATE.length), TABLE);
}

/** No regular expression: of a long comment it would keep every character as a place to come back to. */
function afterBlanks(statement: string, from: number): number {
  let at = from;
  for (;;) {
    if (statement.startsWith('/*', at)) at = endAfter(statement, '*/', at + 2);
    else if (statement.startsWith('--', at)) at = endAfter(statement, '\n', at + 2);
    else if (BLANK.test(statement.charAt(at))) at++;
    else return at;
  }
}

/** A comment without an end is all that there is. */
function endAfter(statement: string, mark: string, from: number): number {
  const at = statement.indexOf(mark, from);
  return at < 0 ? statement.length : at + mark.length;
}

function hasWord(statement: string, at: number, word: string): boolean {
  const end = at + word.length;
  return statement.slice(at, end).toUpperCase() === word && !OF_A_WORD.test(statement.charAt(end));
}
