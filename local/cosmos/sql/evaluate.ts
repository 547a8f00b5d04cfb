import { deepEqual, emptyObject, isJsonObject, type Json, propertyOf } from '../json.ts';
import { AGGREGATES, type Aggregate } from './aggregates.ts';
import type { BinaryOperator, Expression } from './ast.ts';
import { compareScalars } from './compare.ts';
import { invalid, unknownFunction, unresolved, unsupported } from './errors.ts';
import { BUILT_INS } from './functions.ts';
import { compileLike } from './like.ts';
import { flatten } from './walk.ts';

/**
 * Expressions become JavaScript closures, once per query, that are called once per document. `undefined` is a value of
 * its own: it comes from absent properties and from operators between types that do not go together, travels through
 * every operator, and in WHERE counts as not true. AND and OR are three-valued: `false AND undefined` is false,
 * `true OR undefined` is true. Equality of two defined values is always true or false, across types false.
 */
export type Value = Json | undefined;

export interface Scope {
  /** The document, then the elements of the joins. */
  readonly values: readonly Value[];
  /** The results of the query's aggregates, where its groups are complete. */
  readonly aggregates: readonly Value[];
}

export type Evaluator = (scope: Scope) => Value;

/** An aggregate in the selection: its argument, and how to run it. */
export interface AggregateCall {
  readonly start: () => Aggregate;
  readonly argument: Evaluator;
}

export interface CompileContext {
  /** The position of each alias in `Scope.values`. */
  readonly names: ReadonlyMap<string, number>;
  readonly parameters: ReadonlyMap<string, Json>;
  /** Collects the aggregates that are found; `undefined` where none may stand. */
  readonly aggregates: AggregateCall[] | undefined;
}

/** @throws {CosmosError} 400 for unknown names, parameters and functions */
export function compile(expression: Expression, context: CompileContext): Evaluator {
  switch (expression.kind) {
    case 'literal':
    case 'parameter': {
      const value = constantOf(expression, context.parameters);
      return () => value;
    }
    case 'identifier': {
      const position = context.names.get(expression.name);
      if (position === undefined) throw unresolved(expression.name, expression.span);
      return (scope) => scope.values[position];
    }
    case 'member':
      return compileMember(expression.object, expression.property, context);
    case 'unary': {
      const operand = compile(expression.operand, context);
      if (expression.operator === 'NOT') return (scope) => not(operand(scope));
      const sign = expression.operator === '-' ? -1 : 1;
      return (scope) => {
        const value = operand(scope);
        return typeof value === 'number' ? sign * value : undefined;
      };
    }
    case 'binary':
      return compileBinary(expression.operator, expression, context);
    case 'in': {
      const found = compileIn(expression.value, expression.list, context);
      return expression.negated ? (scope) => not(found(scope)) : found;
    }
    case 'between': {
      const { value, low, high } = expression;
      const aboveLow: Expression = { kind: 'binary', operator: '>=', left: value, right: low };
      const belowHigh: Expression = { kind: 'binary', operator: '<=', left: value, right: high };
      const inside = compileLogical('AND', [aboveLow, belowHigh], context);
      return expression.negated ? (scope) => not(inside(scope)) : inside;
    }
    case 'like': {
      const matched = compileLikeExpression(expression, context);
      return expression.negated ? (scope) => not(matched(scope)) : matched;
    }
    case 'call':
      return compileCall(expression, context);
    case 'conditional': {
      const condition = compile(expression.condition, context);
      const then = compile(expression.then, context);
      const otherwise = compile(expression.otherwise, context);
      return (scope) => (condition(scope) === true ? then(scope) : otherwise(scope));
    }
    case 'object': {
      const entries = expression.entries.map(([name, value]) => [name, compile(value, context)] as const);
      return (scope) => buildObject(entries, scope);
    }
    case 'array': {
      const items = expression.items.map((item) => compile(item, context));
      return (scope) => items.map((item) => item(scope)).filter((item) => item !== undefined);
    }
  }
}

/** An object of the defined ones among some evaluated entries. */
export function buildObject(entries: readonly (readonly [string, Evaluator])[], scope: Scope): Json {
  const result = emptyObject();
  for (const [name, evaluate] of entries) {
    const value = evaluate(scope);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

/** The value of a literal or parameter. @throws {CosmosError} 400 for a parameter that was not sent */
export function constantOf(expression: Expression, parameters: ReadonlyMap<string, Json>): Value {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind !== 'parameter') throw unsupported('an expression where a constant is needed');
  const value = parameters.get(expression.name);
  if (value === undefined) throw invalid(`Parameter '${expression.name}' was not supplied.`, expression.span);
  return value;
}

function not(value: Value): Value {
  return typeof value === 'boolean' ? !value : undefined;
}

function compileMember(
  objectExpression: Expression,
  propertyExpression: Expression,
  context: CompileContext,
): Evaluator {
  const object = compile(objectExpression, context);
  if (propertyExpression.kind === 'literal' && typeof propertyExpression.value === 'string') {
    const name = propertyExpression.value;
    return (scope) => {
      const value = object(scope);
      return isJsonObject(value) ? propertyOf(value, name) : undefined;
    };
  }
  const property = compile(propertyExpression, context);
  return (scope) => {
    const value = object(scope);
    const key = property(scope);
    if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
    return isJsonObject(value) && typeof key === 'string' ? propertyOf(value, key) : undefined;
  };
}

function compileBinary(
  operator: BinaryOperator,
  expression: Expression & { kind: 'binary' },
  context: CompileContext,
): Evaluator {
  if (operator === 'AND' || operator === 'OR') {
    return compileLogical(operator, flatten(expression, operator), context);
  }
  const left = compile(expression.left, context);
  const right = compile(expression.right, context);
  const apply = OPERATORS[operator];
  return (scope) => apply(left(scope), right(scope));
}

function compileLogical(operator: 'AND' | 'OR', operands: readonly Expression[], context: CompileContext): Evaluator {
  const evaluators = operands.map((operand) => compile(operand, context));
  const decisive = operator === 'OR';
  return (scope) => {
    let unknown = false;
    for (const evaluate of evaluators) {
      const value = evaluate(scope);
      if (value === decisive) return decisive;
      if (typeof value !== 'boolean') unknown = true;
    }
    return unknown ? undefined : !decisive;
  };
}

function ordering(holds: (order: number) => boolean): (left: Value, right: Value) => Value {
  return (left, right) => {
    const order = compareScalars(left, right);
    return order === undefined ? undefined : holds(order);
  };
}

function arithmetic(run: (left: number, right: number) => number): (left: Value, right: Value) => Value {
  return (left, right) => {
    if (typeof left !== 'number' || typeof right !== 'number') return undefined;
    const result = run(left, right);
    return Number.isFinite(result) ? result : undefined;
  };
}

function equality(wanted: boolean): (left: Value, right: Value) => Value {
  return (left, right) => (left === undefined || right === undefined ? undefined : deepEqual(left, right) === wanted);
}

const OPERATORS: Readonly<Record<Exclude<BinaryOperator, 'AND' | 'OR'>, (left: Value, right: Value) => Value>> = {
  '=': equality(true),
  '!=': equality(false),
  '<': ordering((order) => order < 0),
  '<=': ordering((order) => order <= 0),
  '>': ordering((order) => order > 0),
  '>=': ordering((order) => order >= 0),
  '+': arithmetic((left, right) => left + right),
  '-': arithmetic((left, right) => left - right),
  '*': arithmetic((left, right) => left * right),
  '/': arithmetic((left, right) => left / right),
  '%': arithmetic((left, right) => left % right),
  '||': (left, right) => (typeof left === 'string' && typeof right === 'string' ? left + right : undefined),
  '??': (left, right) => (left === undefined ? right : left),
};

function compileIn(value: Expression, list: readonly Expression[], context: CompileContext): Evaluator {
  const needle = compile(value, context);
  const constant = list.every((item) => item.kind === 'literal' || item.kind === 'parameter');
  if (constant) {
    const values = list.map((item) => constantOf(item, context.parameters));
    const scalars = new Set<Value>(values.filter((item) => typeof item !== 'object' || item === null));
    const composites = values.filter((item) => typeof item === 'object' && item !== null);
    return (scope) => {
      const wanted = needle(scope);
      if (wanted === undefined) return undefined;
      return scalars.has(wanted) || composites.some((item) => item !== undefined && deepEqual(item, wanted));
    };
  }
  const items = list.map((item) => compile(item, context));
  return (scope) => {
    const wanted = needle(scope);
    if (wanted === undefined) return undefined;
    return items.some((item) => {
      const candidate = item(scope);
      return candidate !== undefined && deepEqual(candidate, wanted);
    });
  };
}

function compileLikeExpression(expression: Expression & { kind: 'like' }, context: CompileContext): Evaluator {
  const value = compile(expression.value, context);
  const escapeCharacter =
    expression.escape === undefined ? undefined : constantOf(expression.escape, context.parameters);
  if (escapeCharacter !== undefined && (typeof escapeCharacter !== 'string' || escapeCharacter.length !== 1)) {
    throw invalid('ESCAPE needs a string of one character.');
  }
  const pattern = constantOf(expression.pattern, context.parameters);
  if (typeof pattern !== 'string') throw invalid('LIKE needs a string as its pattern.');
  const matches = compileLike(pattern, escapeCharacter);
  return (scope) => {
    const text = value(scope);
    return typeof text === 'string' ? matches(text) : undefined;
  };
}

function compileCall(expression: Expression & { kind: 'call' }, context: CompileContext): Evaluator {
  const { name, args, span } = expression;
  const start = AGGREGATES.get(name);
  if (start !== undefined) {
    if (context.aggregates === undefined) throw unsupported(`the aggregate ${name} at this place`, span);
    const [argument] = args;
    if (argument === undefined || args.length > 1) throw invalid(`${name} takes one argument.`, span);
    const position = context.aggregates.length;
    context.aggregates.push({ start, argument: compile(argument, { ...context, aggregates: undefined }) });
    return (scope) => scope.aggregates[position];
  }
  const builtIn = BUILT_INS.get(name);
  if (builtIn === undefined) throw unknownFunction(name, span);
  if (args.length < builtIn.least || args.length > builtIn.most) {
    throw invalid(`The function ${name} does not take ${args.length} arguments.`, span);
  }
  const evaluators = args.map((argument) => compile(argument, context));
  return (scope) => builtIn.run(evaluators.map((evaluate) => evaluate(scope)));
}
