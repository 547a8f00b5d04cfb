import { UnprocessableError } from '../ingest/reasons.ts';

/**
 * Avro schemas (specification 1.11) as plain data: names resolved, shorthands spelt out. Schemas come from outside with
 * the messages, so that what they can ask for is limited here: no type contains itself, and a value of the whole type has
 * a bounded number of parts.
 */
export type AvroType =
  | { readonly kind: 'null' | 'boolean' | 'float' | 'double' | 'string' }
  | { readonly kind: 'int' | 'long' | 'bytes'; readonly logical: LogicalType | null }
  | { readonly kind: 'fixed'; readonly size: number; readonly logical: LogicalType | null }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'array' | 'map'; readonly items: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] }
  | AvroRecord;

export interface AvroRecord {
  readonly kind: 'record';
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: AvroType }[];
}

/** `scale` counts for `decimal` only. */
export interface LogicalType {
  readonly name: string;
  readonly scale: number;
}

const MAX_PARTS = 20_000;
const MAX_LEVELS = 32;
const MAX_FIXED_BYTES = 1_048_576;
const MAX_SCALE = 1_000;

const NAME = /^[A-Za-z_]\w*$/;
const PRIMITIVES = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string']);

type SchemaObject = { readonly [attribute: string]: unknown };

/** A type and the number of parts that a value of it has at the most, items of arrays and maps counted once. */
interface Sized {
  readonly type: AvroType;
  readonly parts: number;
}

/** Throws UnprocessableError (`illegal-schema`) that says what is wrong; names of columns may be part of what it says. */
export function parseAvroSchema(text: string): AvroType {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    throw illegal('it is not JSON');
  }
  return new SchemaReader().read(schema, '', 0).type;
}

class SchemaReader {
  /** Full name -> type; null while the type is being read. */
  readonly #named = new Map<string, Sized | null>();

  read(schema: unknown, namespace: string, level: number): Sized {
    if (level > MAX_LEVELS) throw illegal('it nests too deep');
    if (typeof schema === 'string') return this.#byName(schema, namespace);
    if (Array.isArray(schema)) return this.#union(schema, namespace, level);
    if (typeof schema !== 'object' || schema === null) throw illegal('a type is neither a name nor an object');
    return this.#fromObject(schema as SchemaObject, namespace, level);
  }

  #byName(name: string, namespace: string): Sized {
    if (PRIMITIVES.has(name)) return { type: primitive(name, null), parts: 1 };
    const known = this.#named.get(fullName(name, namespace)) ?? this.#named.get(name);
    if (known === null) throw illegal(`the type ${shown(name)} contains itself`);
    if (known === undefined) throw illegal(`the type ${shown(name)} is not defined`);
    return known;
  }

  #union(schemas: readonly unknown[], namespace: string, level: number): Sized {
    const branches = schemas.map((schema) => this.read(schema, namespace, level + 1));
    if (branches.length === 0) throw illegal('a union has no branches');
    return { type: { kind: 'union', branches: branches.map(({ type }) => type) }, parts: partsOf(branches) };
  }

  #fromObject(schema: SchemaObject, namespace: string, level: number): Sized {
    const { type } = schema;
    switch (type) {
      case 'record':
      case 'error':
        return this.#define(schema, namespace, (inner) => this.#record(schema, inner, level));
      case 'enum':
        return this.#define(schema, namespace, () => ({
          type: { kind: 'enum', symbols: texts(schema.symbols) },
          parts: 1,
        }));
      case 'fixed':
        return this.#define(schema, namespace, () => ({ type: fixed(schema), parts: 1 }));
      case 'array':
      case 'map': {
        const items = this.read(type === 'array' ? schema.items : schema.values, namespace, level + 1);
        return { type: { kind: type, items: items.type }, parts: partsOf([items]) };
      }
      default:
        if (typeof type === 'string' && PRIMITIVES.has(type))
          return { type: primitive(type, logicalOf(schema)), parts: 1 };
        return this.read(type, namespace, level + 1);
    }
  }

  #record(schema: SchemaObject, namespace: string, level: number): Sized {
    const { fields } = schema;
    if (!Array.isArray(fields)) throw illegal('a record has no fields');
    const names = new Set<string>();
    const read = fields.map((field: SchemaObject) => {
      const name = checkedName(field?.name, 'field');
      if (names.has(name)) throw illegal(`a record has two fields ${shown(name)}`);
      names.add(name);
      return { name, ...this.read(field.type, namespace, level + 1) };
    });
    const type: AvroRecord = {
      kind: 'record',
      name: String(schema.name),
      fields: read.map((field) => ({ name: field.name, type: field.type })),
    };
    return { type, parts: partsOf(read) };
  }

  #define(schema: SchemaObject, namespace: string, read: (namespace: string) => Sized): Sized {
    const sent = typeof schema.name === 'string' ? schema.name : '';
    const inner = sent.includes('.') ? sent.slice(0, sent.lastIndexOf('.')) : textOr(schema.namespace, namespace);
    checkedName(sent.slice(sent.lastIndexOf('.') + 1), 'type');
    const name = fullName(sent, inner);
    if (this.#named.has(name)) throw illegal(`it defines the type ${shown(name)} twice`);
    this.#named.set(name, null);
    const sized = read(inner);
    this.#named.set(name, sized);
    return sized;
  }
}

function primitive(name: string, logical: LogicalType | null): AvroType {
  if (name === 'int' || name === 'long' || name === 'bytes') return { kind: name, logical };
  return { kind: name as 'null' | 'boolean' | 'float' | 'double' | 'string' };
}

function fixed(schema: SchemaObject): AvroType {
  const { size } = schema;
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 0 || size > MAX_FIXED_BYTES)
    throw illegal('a fixed type has no usable size');
  return { kind: 'fixed', size, logical: logicalOf(schema) };
}

function logicalOf({ logicalType, scale = 0 }: SchemaObject): LogicalType | null {
  if (typeof logicalType !== 'string') return null;
  // A reader that does not understand a logical type reads the type under it, says the specification.
  if (typeof scale !== 'number' || !Number.isInteger(scale) || scale < 0 || scale > MAX_SCALE) return null;
  return { name: logicalType, scale };
}

function partsOf(members: readonly Sized[]): number {
  const parts = members.reduce((sum, member) => sum + member.parts, 1);
  if (parts > MAX_PARTS) throw illegal(`a value of it has more than ${MAX_PARTS} parts`);
  return parts;
}

function texts(symbols: unknown): readonly string[] {
  if (!Array.isArray(symbols) || !symbols.every((symbol) => typeof symbol === 'string'))
    throw illegal('an enum has no symbols');
  return symbols;
}

function checkedName(name: unknown, what: 'field' | 'type'): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw illegal(`a ${what} has ${typeof name === 'string' ? `the name ${shown(name)}, which is none` : 'no name'}`);
}

function fullName(name: string, namespace: string): string {
  return namespace === '' || name.includes('.') ? name : `${namespace}.${name}`;
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function illegal(what: string): UnprocessableError {
  return new UnprocessableError('illegal-schema', `an Avro schema cannot be used: ${what}`);
}
