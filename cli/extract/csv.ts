/**
 * CSV as RFC 4180 has it: fields between delimiters, records between line ends, a field in quotes may hold both, and two
 * quotes inside stand for one. What people's exports add is understood too: other delimiters, a byte order mark, bare
 * line feeds. Our own reader, for one question that readers on offer do not answer: whether an empty field was quoted.
 * It is how an export tells an empty text from NULL.
 */
export interface CsvField {
  readonly text: string;
  readonly quoted: boolean;
}

/** Thrown where a file is no CSV; `line` counts from 1. */
export class CsvError extends Error {
  override readonly name = 'CsvError';

  constructor(message: string, line: number) {
    super(`${message} in line ${line}`);
  }
}

const QUOTE = '"';
const BYTE_ORDER_MARK = '\ufeff';
/** No field of any database is longer; a quotation mark that is missing would swallow the rest of the file. */
const MAX_FIELD_CHARACTERS = 256 * 1024 * 1024;

/** Reads records from text that comes in pieces, cut anywhere. Blank lines are left out. Throws CsvError. */
export class CsvReader {
  readonly #delimiter: string;
  #fields: CsvField[] = [];
  #text = '';
  #quoted = false;
  /** `start` of a field, `plain` in one without quotes, `quoted` inside quotes, `closed` after the one that may end it. */
  #state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  #line = 1;
  #isFirst = true;
  #afterReturn = false;

  constructor(delimiter = ',') {
    this.#delimiter = delimiter;
  }

  /** The records that end in `piece`. */
  *read(piece: string): Generator<readonly CsvField[]> {
    let at = this.#isFirst && piece.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
    this.#isFirst &&= piece.length === 0;
    while (at < piece.length) {
      if (this.#state === 'quoted') {
        at = this.#readQuoted(piece, at);
        continue;
      }
      const character = piece.charAt(at);
      const isFeedOfReturn = character === '\n' && this.#afterReturn;
      this.#afterReturn = character === '\r';
      if (isFeedOfReturn) at++;
      else if (character === '\n' || character === '\r') {
        at++;
        this.#line++;
        const record = this.#endRecord();
        if (record !== undefined) yield record;
      } else if (character === this.#delimiter) {
        at++;
        this.#endField();
      } else if (character === QUOTE && this.#state !== 'plain') {
        // A second quote right after the closing one: both stand for one.
        if (this.#state === 'closed') this.#text += QUOTE;
        this.#state = 'quoted';
        this.#quoted = true;
        at++;
      } else if (this.#state === 'closed')
        throw new CsvError('there is text after a closing quotation mark', this.#line);
      else at = this.#readPlain(piece, at);
    }
  }

  /** The record that the end of the file ends. */
  end(): readonly CsvField[] | undefined {
    if (this.#state === 'quoted') throw new CsvError('a quotation mark is not closed', this.#line);
    return this.#endRecord();
  }

  #readQuoted(piece: string, at: number): number {
    const found = piece.indexOf(QUOTE, at);
    const end = found === -1 ? piece.length : found;
    const text = piece.slice(at, end);
    for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', feed + 1)) this.#line++;
    this.#add(text);
    if (found === -1) return end;
    this.#state = 'closed';
    return end + 1;
  }

  #readPlain(piece: string, at: number): number {
    let end = at;
    for (; end < piece.length; end++) {
      const character = piece.charAt(end);
      if (character === this.#delimiter || character === '\n' || character === '\r') break;
    }
    this.#state = 'plain';
    this.#add(piece.slice(at, end));
    return end;
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#text.length > MAX_FIELD_CHARACTERS) throw new CsvError('a field does not end', this.#line);
  }

  #endField(): void {
    this.#fields.push({ text: this.#text, quoted: this.#quoted });
    this.#text = '';
    this.#quoted = false;
    this.#state = 'start';
  }

  #endRecord(): readonly CsvField[] | undefined {
    const isBlank = this.#fields.length === 0 && this.#state === 'start';
    if (isBlank) return undefined;
    this.#endField();
    const record = this.#fields;
    this.#fields = [];
    return record;
  }
}
