import type { BinaryOperator, Expression } from './ast.ts';
import { unsupported } from './errors.ts';
import type { TokenStream } from './tokenStream.ts';

/**
 * Expressions, by descent through the levels of precedence, loosest first:
 * `? :`, `??`, OR, AND, NOT, comparison (with IN, BETWEEN, LIKE), `+ - ||`, `* / %`, sign, `.name [index]`.
 */
export function parseExpression(tokens: TokenStream): Expression {
  return tokens.nested(() => {
    const condition = parseCoalesce(tokens);
    if (!tokens.acceptSymbol('?')) return condition;
    const then = parseExpression(tokens);
    tokens.expectSymbol(':');
    return { kind: 'conditional', condition, then, otherwise: parseExpression(tokens) };
  });
}

export function parseExpressionList(tokens: TokenStream, close: string): Expression[] {
  const items: Expression[] = [];
  if (tokens.acceptSymbol(close)) return items;
  do items.push(parseExpression(tokens));
  while (tokens.acceptSymbol(','));
  tokens.expectSymbol(close);
  return items;
}

function parseCoalesce(tokens: TokenStream): Expression {
  return chain(tokens, parseOr, (t) => (t.acceptSymbol('??') ? '??' : undefined));
}

function parseOr(tokens: TokenStream): Expression {
  return chain(tokens, parseAnd, (t) => (t.acceptKeyword('OR') ? 'OR' : undefined));
}

function parseAnd(tokens: TokenStream): Expression {
  return chain(tokens, parseNot, (t) => (t.acceptKeyword('AND') ? 'AND' : undefined));
}

function parseNot(tokens: TokenStream): Expression {
  if (!tokens.acceptKeyword('NOT')) return parseComparison(tokens);
  return tokens.nested(() => ({ kind: 'unary', operator: 'NOT', operand: parseNot(tokens) }));
}

const COMPARISONS: readonly BinaryOperator[] = ['=', '!=', '<', '<=', '>', '>='];

function parseComparison(tokens: TokenStream): Expression {
  let value = parseSum(tokens);
  for (;;) {
    const negated = tokens.atKeyword('NOT');
    const ahead = negated ? 1 : 0;
    if (tokens.atKeyword('IN', ahead)) {
      if (negated) tokens.take();
      tokens.take();
      tokens.expectSymbol('(');
      if (tokens.atKeyword('SELECT')) throw unsupported('subqueries', tokens.peek().span);
      value = { kind: 'in', value, list: parseExpressionList(tokens, ')'), negated };
    } else if (tokens.atKeyword('BETWEEN', ahead)) {
      if (negated) tokens.take();
      tokens.take();
      const low = parseSum(tokens);
      tokens.expectKeyword('AND');
      value = { kind: 'between', value, low, high: parseSum(tokens), negated };
    } else if (tokens.atKeyword('LIKE', ahead)) {
      if (negated) tokens.take();
      tokens.take();
      const pattern = parseSum(tokens);
      value = {
        kind: 'like',
        value,
        pattern,
        escape: tokens.acceptKeyword('ESCAPE') ? parseSum(tokens) : undefined,
        negated,
      };
    } else {
      const operator = acceptOperator(tokens, COMPARISONS);
      if (operator === undefined) return value;
      value = { kind: 'binary', operator, left: value, right: parseSum(tokens) };
    }
  }
}

function parseSum(tokens: TokenStream): Expression {
  return chain(tokens, parseProduct, (t) => acceptOperator(t, ['+', '-', '||']));
}

function parseProduct(tokens: TokenStream): Expression {
  return chain(tokens, parseSign, (t) => acceptOperator(t, ['*', '/', '%']));
}

function parseSign(tokens: TokenStream): Expression {
  const operator = tokens.acceptSymbol('-') ? '-' : tokens.acceptSymbol('+') ? '+' : undefined;
  if (operator === undefined) return parseMember(tokens);
  return tokens.nested(() => ({ kind: 'unary', operator, operand: parseSign(tokens) }));
}

function chain(
  tokens: TokenStream,
  operand: (tokens: TokenStream) => Expression,
  accept: (tokens: TokenStream) => BinaryOperator | undefined,
): Expression {
  let left = operand(tokens);
  for (let operator = accept(tokens); operator !== undefined; operator = accept(tokens)) {
    left = { kind: 'binary', operator, left, right: operand(tokens) };
  }
  return left;
}

function acceptOperator(tokens: TokenStream, operators: readonly BinaryOperator[]): BinaryOperator | undefined {
  if (operators.includes('!=') && tokens.acceptSymbol('<>')) return '!=';
  return operators.find((operator) => tokens.acceptSymbol(operator));
}

function parseMember(tokens: TokenStream): Expression {
  let object = parsePrimary(tokens);
  for (;;) {
    if (tokens.acceptSymbol('.')) {
      const name = tokens.peek();
      if (name.kind !== 'name') throw tokens.unexpected();
      tokens.take();
      object = { kind: 'member', object, property: { kind: 'literal', value: name.text } };
    } else if (tokens.acceptSymbol('[')) {
      const property = parseExpression(tokens);
      tokens.expectSymbol(']');
      object = { kind: 'member', object, property };
    } else return object;
  }
}

const CONSTANTS = new Map<string, null | boolean | undefined>([
  ['NULL', null],
  ['TRUE', true],
  ['FALSE', false],
  ['UNDEFINED', undefined],
]);

const SUBQUERIES = ['EXISTS', 'ARRAY', 'ALL', 'FIRST', 'LAST'];

/** Functions whose names are also keywords. */
const KEYWORD_FUNCTIONS = ['LEFT', 'RIGHT'];

function parsePrimary(tokens: TokenStream): Expression {
  const token = tokens.peek();
  if (token.kind === 'string' || token.kind === 'number') {
    tokens.take();
    return { kind: 'literal', value: token.value };
  }
  if (token.kind === 'parameter') {
    tokens.take();
    return { kind: 'parameter', name: token.text, span: token.span };
  }
  if (tokens.acceptSymbol('(')) {
    if (tokens.atKeyword('SELECT')) throw unsupported('subqueries', tokens.peek().span);
    const inner = parseExpression(tokens);
    tokens.expectSymbol(')');
    return inner;
  }
  if (tokens.acceptSymbol('[')) return { kind: 'array', items: parseExpressionList(tokens, ']') };
  if (tokens.acceptSymbol('{')) return parseObject(tokens);
  if (token.kind !== 'name') throw tokens.unexpected();
  return parseNamed(tokens);
}

function parseNamed(tokens: TokenStream): Expression {
  const token = tokens.peek();
  const upper = token.text.toUpperCase();
  if (CONSTANTS.has(upper)) {
    tokens.take();
    return { kind: 'literal', value: CONSTANTS.get(upper) };
  }
  if (SUBQUERIES.includes(upper) && tokens.atSymbol('(', 1)) throw unsupported(`${upper}(…)`, token.span);
  if (upper === 'UDF') throw unsupported('user defined functions', token.span);
  if (tokens.atSymbol('(', 1) && (tokens.atName() || KEYWORD_FUNCTIONS.includes(upper))) {
    tokens.take();
    tokens.take();
    return { kind: 'call', name: upper, args: parseExpressionList(tokens, ')'), span: token.span };
  }
  return { kind: 'identifier', name: tokens.expectName(), span: token.span };
}

function parseObject(tokens: TokenStream): Expression {
  const entries: [string, Expression][] = [];
  if (tokens.acceptSymbol('}')) return { kind: 'object', entries };
  do {
    const name = tokens.peek();
    if (name.kind !== 'name' && name.kind !== 'string') throw tokens.unexpected();
    tokens.take();
    tokens.expectSymbol(':');
    entries.push([String(name.value ?? name.text), parseExpression(tokens)]);
  } while (tokens.acceptSymbol(','));
  tokens.expectSymbol('}');
  return { kind: 'object', entries };
}
