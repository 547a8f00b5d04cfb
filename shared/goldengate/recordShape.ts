import type { JsonValue } from '../change/json.ts';
import { type DividedRecord, divideRecord } from './dividedRecord.ts';
import type { FieldNames } from './fieldNames.ts';
import { isObject, type JsonObject } from './members.ts';

/** Records of one shape after which code is made for it: fewer do not earn back what that costs. */
const USES_BEFORE_COMPILING = 64;
/** Members of a shape that code is made for: the engine lays out no larger literals. */
const MAX_COMPILED_MEMBERS = 256;

/**
 * What the names of a record's members, in their order, make of it: the same for all records that name the same. To
 * look up and store every member by its name costs half as much again as to parse the record. So after some records of
 * a shape code is made that just says what goes where: the engine then lays each object out once and looks no name up.
 */
export class RecordShape {
  /** Characters of all names, and one more for each: what it takes to remember the shape. */
  readonly length: number;
  readonly #names: readonly string[];
  readonly #fields: FieldNames;
  readonly #delimiter: string;
  #uses = 0;
  #compiled: ((record: JsonObject) => DividedRecord) | undefined;

  constructor(record: JsonObject, fields: FieldNames, delimiter: string) {
    this.#names = Object.keys(record);
    this.length = this.#names.reduce((sum, name) => sum + name.length + 1, 0);
    this.#fields = fields;
    this.#delimiter = delimiter;
  }

  /** Whether `record` has just the members of this shape, in their order. */
  fits(record: JsonObject): boolean {
    const names = this.#names;
    let at = 0;
    for (const name in record) if (names[at++] !== name) return false;
    return at === names.length;
  }

  /** Divides a record of this shape, as `divideRecord` does. */
  divide(record: JsonObject): DividedRecord {
    if (this.#compiled !== undefined) return this.#compiled(record);
    if (++this.#uses === USES_BEFORE_COMPILING && this.#names.length <= MAX_COMPILED_MEMBERS)
      this.#compiled = this.#compile();
    return divideRecord(record, this.#fields, this.#delimiter);
  }

  #compile(): (record: JsonObject) => DividedRecord {
    // Where each member goes shows when a record is divided whose values are their own names.
    const ownNames = Object.fromEntries(this.#names.map((name) => [name, name]));
    const { layout, ...divided } = divideRecord(ownNames, this.#fields, this.#delimiter);
    const members = [`layout: ${JSON.stringify(layout)}`, ...membersOf(divided)];
    return new Function('record', `return { ${members.join(', ')} };`) as (record: JsonObject) => DividedRecord;
  }
}

function membersOf(object: { readonly [name: string]: JsonValue | undefined }): readonly string[] {
  return Object.entries(object).map(([name, value]) => `${memberName(name)}: ${codeOf(value)}`);
}

/** Code that gives `value` with the values of a record in place of their names. */
function codeOf(value: JsonValue | undefined): string {
  // Names come from outside; as JSON texts they are literals whatever they hold.
  if (typeof value === 'string') return `record[${JSON.stringify(value)}]`;
  return isObject(value) ? `{ ${membersOf(value).join(', ')} }` : String(value);
}

/** A literal's `__proto__` would be its prototype. */
function memberName(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
}
