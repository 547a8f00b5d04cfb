import type { JsonValue } from '../change/json.ts';
import { isObject, type JsonObject, member } from './members.ts';
import { declaredType } from './record.ts';

/** What one declaration may stand for: more than anybody writes, few enough for every column of a table. */
const MAX_DECLARATIONS = 20;
/** Types that tell how a value is spelled. */
const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

/** The one scalar type that `declared` allows besides null; null where there is no such type. */
export function typeIn(schema: JsonObject, declared: JsonValue | undefined): string | null {
  const allowed = declarationsOf(schema, declared).flatMap((each): JsonValue => member(each, 'type') ?? []);
  const type = declaredType([...new Set(allowed)]);
  return type !== null && SCALARS.has(type) ? type : null;
}

/** Whatever `declared` stands for: itself, what it refers to inside `schema`, its alternatives, and theirs. */
export function declarationsOf(schema: JsonObject, declared: JsonValue | undefined): readonly JsonObject[] {
  // Each once: references may go in circles.
  const found = new Set<JsonObject>();
  const add = (each: JsonValue | undefined) => {
    if (isObject(each) && found.size < MAX_DECLARATIONS) found.add(each);
  };
  add(declared);
  for (const each of found) {
    add(referredTo(schema, member(each, '$ref')));
    for (const alternatives of [member(each, 'anyOf'), member(each, 'oneOf')]) {
      if (Array.isArray(alternatives)) alternatives.forEach(add);
    }
  }
  return [...found];
}

/** What a JSON pointer into `schema` points to; undefined for any other reference. */
function referredTo(schema: JsonObject, reference: JsonValue | undefined): JsonValue | undefined {
  if (typeof reference !== 'string') return undefined;
  const [start, ...names] = reference.split('/');
  if (start !== '#') return undefined;
  let target: JsonValue | undefined = schema;
  for (const name of names) {
    target = isObject(target) ? member(target, name.replaceAll('~1', '/').replaceAll('~0', '~')) : undefined;
  }
  return target;
}
