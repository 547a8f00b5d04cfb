import { syntaxError } from './errors.ts';
import { type Token, tokenize } from './lexer.ts';

/** Deeper than any query that people write, and far from the end of the stack. */
const MAX_DEPTH = 200;

/** Words that cannot name a document or a column. */
const RESERVED = new Set(
  (
    'AND ARRAY AS ASC BETWEEN BY DESC DISTINCT ESCAPE EXISTS FALSE FROM GROUP HAVING IN JOIN LEFT LIKE LIMIT NOT NULL ' +
    'OFFSET OR ORDER RIGHT SELECT TOP TRUE UDF UNDEFINED VALUE WHERE'
  ).split(' '),
);

/** The tokens of a query with a place in them; keywords are compared without regard to case. */
export class TokenStream {
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#position + ahead, this.#tokens.length - 1)];
    if (token === undefined) throw new RangeError('A token list is never empty.');
    return token;
  }

  take(): Token {
    const token = this.peek();
    this.#position += 1;
    return token;
  }

  atKeyword(word: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'name' && token.text.toUpperCase() === word;
  }

  atSymbol(symbol: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'symbol' && token.text === symbol;
  }

  acceptKeyword(word: string): boolean {
    if (!this.atKeyword(word)) return false;
    this.#position += 1;
    return true;
  }

  acceptSymbol(symbol: string): boolean {
    if (!this.atSymbol(symbol)) return false;
    this.#position += 1;
    return true;
  }

  expectKeyword(word: string): void {
    if (!this.acceptKeyword(word)) throw this.unexpected();
  }

  expectSymbol(symbol: string): void {
    if (!this.acceptSymbol(symbol)) throw this.unexpected();
  }

  atName(): boolean {
    const token = this.peek();
    return token.kind === 'name' && !RESERVED.has(token.text.toUpperCase());
  }

  expectName(): string {
    if (!this.atName()) throw this.unexpected();
    return this.take().text;
  }

  unexpected(): Error {
    const token = this.peek();
    return syntaxError(token.text, token.span);
  }

  /** Runs a recursive rule; a query nested beyond reason is a syntax error, not a broken stack. */
  nested<T>(rule: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.unexpected();
    const result = rule();
    this.#depth -= 1;
    return result;
  }
}
