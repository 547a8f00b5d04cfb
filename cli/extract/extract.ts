import { createReadStream } from 'node:fs';
import { parseExactJson } from '../../shared/change/exact.ts';
import type { JsonValue } from '../../shared/change/json.ts';
import { UsageError } from '../command.ts';
import { type CsvField, CsvReader } from './csv.ts';

/** One row of an extract: column -> value. CSV has texts and NULL, NDJSON has JSON values with exact numbers. */
export type ExtractRow = ReadonlyMap<string, JsonValue>;

export interface ExtractOptions {
  /** Between the fields of a CSV file. */
  readonly delimiter: string;
  /** How a CSV file writes NULL without quotes. */
  readonly nullText: string;
}

export const EXTRACT_OPTIONS = { delimiter: { type: 'string' }, null: { type: 'string' } } as const;

/** The options of a command as the reader takes them. Throws UsageError. */
export function extractOptions(values: {
  readonly delimiter?: string | undefined;
  readonly null?: string | undefined;
}): ExtractOptions {
  const delimiter = values.delimiter === '\\t' ? '\t' : (values.delimiter ?? ',');
  if (delimiter.length !== 1) throw new UsageError('--delimiter is one character, or \\t');
  return { delimiter, nullText: values.null ?? '' };
}

/** Bytes read so far, for progress. */
export interface ReadingProgress {
  bytes: number;
}

/** The rows of a `.csv`, `.tsv`, `.ndjson` or `.jsonl` file. Throws UsageError, CsvError, SyntaxError. */
export async function* readExtract(
  path: string,
  options: ExtractOptions,
  progress: ReadingProgress = { bytes: 0 },
): AsyncGenerator<ExtractRow> {
  if (/\.(?:ndjson|jsonl)$/i.test(path)) yield* readLines(path, progress);
  else if (/\.csv$/i.test(path)) yield* readCsv(path, options, progress);
  else if (/\.tsv$/i.test(path)) yield* readCsv(path, { ...options, delimiter: '\t' }, progress);
  else throw new UsageError(`${path} is no .csv, .tsv, .ndjson or .jsonl file`);
}

async function* readCsv(path: string, { delimiter, nullText }: ExtractOptions, progress: ReadingProgress) {
  const reader = new CsvReader(delimiter);
  let columns: readonly string[] | undefined;
  let row = 0;
  const toRow = (fields: readonly CsvField[]): ExtractRow | undefined => {
    if (columns === undefined) {
      columns = fields.map(({ text }) => text);
      if (new Set(columns).size < columns.length) throw new UsageError(`${path} names a column twice`);
      return undefined;
    }
    row++;
    if (fields.length !== columns.length) {
      throw new UsageError(`row ${row} of ${path} has ${fields.length} fields, its header ${columns.length}`);
    }
    return new Map(columns.map((column, at) => [column, fieldValue(fields[at], nullText)]));
  };
  for await (const piece of texts(path, progress)) {
    for (const fields of reader.read(piece)) {
      const read = toRow(fields);
      if (read !== undefined) yield read;
    }
  }
  const last = reader.end();
  const read = last === undefined ? undefined : toRow(last);
  if (read !== undefined) yield read;
}

function fieldValue(field: CsvField | undefined, nullText: string): string | null {
  return field === undefined || (!field.quoted && field.text === nullText) ? null : field.text;
}

async function* readLines(path: string, progress: ReadingProgress): AsyncGenerator<ExtractRow> {
  let rest = '';
  let line = 0;
  const toRow = (text: string): ExtractRow | undefined => {
    line++;
    if (text.trim() === '') return undefined;
    const value = parseExactJson(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new UsageError(`line ${line} of ${path} is no JSON object`);
    }
    return new Map(Object.entries(value));
  };
  for await (const piece of texts(path, progress)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      const row = toRow(text);
      if (row !== undefined) yield row;
    }
  }
  const row = toRow(rest);
  if (row !== undefined) yield row;
}

async function* texts(path: string, progress: ReadingProgress): AsyncGenerator<string> {
  const stream = createReadStream(path);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const piece of stream) {
    progress.bytes += (piece as Buffer).length;
    yield decoder.decode(piece as Buffer, { stream: true });
  }
  yield decoder.decode();
}
