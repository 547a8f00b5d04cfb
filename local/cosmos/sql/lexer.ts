import type { Span } from './ast.ts';
import { syntaxError, unsupported } from './errors.ts';

export interface Token {
  readonly kind: 'name' | 'string' | 'number' | 'parameter' | 'symbol' | 'end';
  /** The name, the symbol, the parameter with its `@`, or the text of the literal. */
  readonly text: string;
  /** What a string or number literal means. */
  readonly value: string | number | undefined;
  readonly span: Span;
}

const SPACE = /(?:\s+|--[^\n]*)+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const PARAMETER = /@[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:0[xX][0-9A-Fa-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y;
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy;
const SYMBOL = /\|\||\?\?|!=|<>|<=|>=|[()[\]{},.:?*/%+<>=-]/y;
const UNSUPPORTED_SYMBOL = /<<|>>>?|[&|^~]/y;

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Splits a query into tokens. @throws {CosmosError} 400 with the position of what is no token */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    return pattern.exec(text)?.[0];
  };
  for (;;) {
    position += take(SPACE)?.length ?? 0;
    if (position >= text.length) break;
    const token = next(take, position);
    if (token === undefined) throw syntaxError(text[position] ?? '', { start: position, end: position + 1 });
    tokens.push(token);
    position = token.span.end;
  }
  tokens.push({ kind: 'end', text: 'end of query', value: undefined, span: { start: position, end: position } });
  return tokens;
}

function next(take: (pattern: RegExp) => string | undefined, start: number): Token | undefined {
  const token = (kind: Token['kind'], text: string, value?: string | number): Token => {
    return { kind, text, value, span: { start, end: start + text.length } };
  };
  const name = take(NAME);
  if (name !== undefined) return token('name', name);
  const parameter = take(PARAMETER);
  if (parameter !== undefined) return token('parameter', parameter);
  const number = take(NUMBER);
  if (number !== undefined) return token('number', number, Number(number));
  const string = take(STRING);
  if (string !== undefined) return token('string', string, meaningOf(string, start));
  const other = take(UNSUPPORTED_SYMBOL);
  const symbol = take(SYMBOL);
  if (symbol === undefined && other !== undefined) {
    throw unsupported(`the operator '${other}'`, { start, end: start + other.length });
  }
  return symbol === undefined ? undefined : token('symbol', symbol);
}

function meaningOf(literal: string, start: number): string {
  return literal.slice(1, -1).replaceAll(/\\(u[0-9A-Fa-f]{4}|.)/gs, (sequence, escaped: string, offset: number) => {
    if (escaped.length > 1) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    if (/[A-Za-z0-9]/.test(escaped) && ESCAPES[escaped] === undefined) {
      const position = start + 1 + offset;
      throw syntaxError(sequence, { start: position, end: position + sequence.length });
    }
    return ESCAPES[escaped] ?? escaped;
  });
}
