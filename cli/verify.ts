import { stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readConfig } from '../shared/config.ts';
import { Store } from '../shared/store/store.ts';
import type { ComparedRow } from '../shared/store/tables.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { tableColumns } from './extract/columnTypes.ts';
import { Comparison, type ComparisonReport } from './extract/comparison.ts';
import { EXTRACT_OPTIONS, extractOptions, readExtract } from './extract/extract.ts';
import { appSettings } from './stackFile.ts';
import { tableText } from './terminal.ts';

const VALUE_CHARACTERS = 40;

/** `tributary verify FILE --table T`: what an extract of the source and the rows disagree in. */
export const verify: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...EXTRACT_OPTIONS,
      table: { type: 'string' },
      key: { type: 'string' },
      types: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [path, ...others] = positionals;
  const { table } = values;
  if (path === undefined || others.length > 0 || table === undefined) {
    throw new UsageError('verify takes one file and --table');
  }
  const { terminal } = context;
  const store = await Store.open(readConfig(await appSettings(context)));
  const columns = await tableColumns(store.catalog, table, values.types);
  const pages = store.tables.everyRow(table);
  const first = await pages.next();
  const firstRows = first.done === true ? [] : first.value;
  const comparison = new Comparison(columns, keyOf(values.key, columns.key, firstRows));

  const progress = { bytes: 0 };
  const { size } = await stat(path);
  for await (const row of readExtract(path, extractOptions(values), progress)) {
    comparison.expect(row);
    terminal.progress('read the extract', progress.bytes, size);
  }
  const total = comparison.expected;
  let compared = 0;
  const compareAll = (rows: readonly ComparedRow[]) => {
    for (const row of rows) comparison.compare(row);
    compared += rows.length;
    terminal.progress('compare', compared, total);
  };
  compareAll(firstRows);
  for await (const rows of pages) compareAll(rows);
  terminal.endProgress();

  const report = comparison.report();
  if (values.json === true) terminal.line(JSON.stringify(report, null, 2));
  else terminal.line(screenOf(table, report));
  return report.missing + report.extra + report.different === 0 ? EXIT.ok : EXIT.found;
};

function keyOf(given: string | undefined, known: readonly string[], rows: readonly ComparedRow[]): readonly string[] {
  if (given !== undefined) return given.split(',').map((name) => name.trim());
  if (known.length > 0) return known;
  const [row] = rows;
  if (row === undefined) throw new UsageError('nothing is known of this table: name its key with --key');
  return Object.keys(row.keys);
}

/** The report on one screen. */
function screenOf(table: string, report: ComparisonReport): string {
  const { compared, missing, extra, different, duplicates } = report;
  const lines = [
    `${table}: ${compared.toLocaleString('en')} rows compared, ${missing} missing, ${extra} extra, ${different} different`,
  ];
  if (duplicates > 0)
    lines.push(`! ${duplicates} rows of the extract have a key that another one has; the last counts`);
  if (missing > 0) lines.push(`missing    ${listed(report.missingIds, missing)}`);
  if (extra > 0) lines.push(`extra      ${listed(report.extraIds, extra)}`);
  const counts = Object.entries(report.columns).map(([column, kinds]) => {
    return [column, kinds.value ?? 0, kinds.precision ?? 0, kinds.absent ?? 0];
  });
  if (counts.length > 0) lines.push('', tableText(['column', 'other value', 'other precision', 'absent'], counts));
  const examples = report.differences.map(({ id, column, difference, expected, actual }) => {
    return [id, column, difference, shortened(expected), actual === undefined ? '–' : shortened(actual)];
  });
  if (examples.length > 0)
    lines.push('', tableText(['row', 'column', 'differs in', 'source has', 'row has'], examples));
  if (missing + extra + different === 0) lines.push('they are equal');
  return lines.join('\n');
}

function listed(ids: readonly string[], count: number): string {
  return ids.join('  ') + (count > ids.length ? `  … ${count - ids.length} more` : '');
}

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS - 1)}…` : text;
}
