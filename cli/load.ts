import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { NormalizedChange } from '../shared/change/change.ts';
import { readConfig } from '../shared/config.ts';
import { Pipeline } from '../shared/ingest/pipeline.ts';
import { Store } from '../shared/store/store.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { type TableColumns, tableColumns } from './extract/columnTypes.ts';
import { EXTRACT_OPTIONS, extractOptions, readExtract } from './extract/extract.ts';
import { LoadProgress } from './extract/loadProgress.ts';
import { LOWEST_POSITION, type SnapshotFacts, snapshotOf } from './extract/snapshot.ts';
import { appSettings } from './stackFile.ts';

const ROWS_PER_BATCH = 500;
const MS_PER_SECOND = 1_000;

interface Counts {
  applied: number;
  duplicate: number;
  stale: number;
  deadLettered: number;
  tooOld: number;
}

/**
 * `tributary load FILE --table T`: the rows that were there before the stream began, as full images with the lowest token,
 * so that every change of the stream wins, whether it comes before or after. May be stopped and started again.
 */
export const load: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...EXTRACT_OPTIONS,
      table: { type: 'string' },
      key: { type: 'string' },
      types: { type: 'string' },
      token: { type: 'string' },
      'taken-at': { type: 'string' },
      force: { type: 'boolean' },
      restart: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const [path, ...others] = positionals;
  const { table } = values;
  if (path === undefined || others.length > 0 || table === undefined) {
    throw new UsageError('load takes one file and --table');
  }
  const { terminal } = context;
  const config = readConfig(await appSettings(context));
  const store = await Store.open(config);
  const columns = await tableColumns(store.catalog, table, values.types);
  const { size, mtimeMs: modifiedMs } = await stat(path);
  const facts: SnapshotFacts = {
    table,
    columns,
    key: keyOf(values.key, columns),
    position: values.token ?? LOWEST_POSITION,
    takenAt: timeOf(values['taken-at'], modifiedMs),
  };
  const loader = new Loader(store, new Pipeline(store, config), {
    // A row that is absent may have been deleted, so long ago that nothing remembers it.
    refusesAbsent:
      values.force !== true && Date.now() - Date.parse(facts.takenAt) > config.tombstoneTtlSeconds * MS_PER_SECOND,
    file: basename(path),
  });

  const progress = new LoadProgress(context.folder, { path, table, token: facts.position, size, modifiedMs });
  const skipped = values.restart === true ? 0 : await progress.read();
  if (skipped > 0)
    terminal.note(`goes on after ${skipped.toLocaleString('en')} rows that are loaded (--restart begins anew)`);
  const reading = { bytes: 0 };
  let row = 0;
  let batch: NormalizedChange[] = [];
  const finishBatch = async () => {
    await loader.take(batch, row);
    batch = [];
    await progress.save(row);
    terminal.progress('load', reading.bytes, size);
  };
  for await (const read of readExtract(path, extractOptions(values), reading)) {
    if (++row <= skipped) continue;
    batch.push(snapshotOf(facts, read));
    if (batch.length === ROWS_PER_BATCH) await finishBatch();
  }
  if (batch.length > 0) await finishBatch();
  await progress.finish();
  terminal.endProgress();

  const { counts } = loader;
  if (values.json === true) terminal.line(JSON.stringify({ rows: row, skipped, ...counts }, null, 2));
  else {
    const said = Object.entries(counts).filter(([, count]) => count > 0);
    terminal.line(`${row} rows: ${said.map(([name, count]) => `${name} ${count}`).join(', ') || 'nothing to do'}`);
    if (counts.tooOld > 0) {
      terminal.line(
        '! tooOld: absent rows of an extract older than tombstones are kept; --force loads them all the same',
      );
    }
  }
  return counts.deadLettered + counts.tooOld === 0 ? EXIT.ok : EXIT.found;
};

/** Makes batches of snapshot rows durable. */
class Loader {
  readonly counts: Counts = { applied: 0, duplicate: 0, stale: 0, deadLettered: 0, tooOld: 0 };
  readonly #store: Store;
  readonly #pipeline: Pipeline;
  readonly #options: { readonly refusesAbsent: boolean; readonly file: string };

  constructor(store: Store, pipeline: Pipeline, options: { readonly refusesAbsent: boolean; readonly file: string }) {
    this.#store = store;
    this.#pipeline = pipeline;
    this.#options = options;
  }

  /** `row`: place of the last of them in the file, from 1. */
  async take(batch: readonly NormalizedChange[], row: number): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    const { file, refusesAbsent } = this.#options;
    const present = refusesAbsent
      ? await this.#store.rows.read(batch.map(({ table, key }) => ({ table, id: key })))
      : batch.map(() => true);
    const deliveries = batch.flatMap((decoded, index) => {
      if (present[index] === undefined) return [];
      const position = { file, row: row - batch.length + index + 1 };
      return { position, bytes: Buffer.from(JSON.stringify(decoded.after)), decoded };
    });
    this.counts.tooOld += batch.length - deliveries.length;
    for (const { outcome } of await this.#pipeline.ingest(first.source, first.stream, deliveries)) {
      if (outcome === 'applied' || outcome === 'duplicate' || outcome === 'stale') this.counts[outcome]++;
      else if (outcome === 'deadLettered') this.counts.deadLettered++;
    }
  }
}

function keyOf(given: string | undefined, { source, key, types }: TableColumns): readonly string[] {
  if (source === 'blob')
    throw new UsageError('a change feed needs no load: it tells of every blob since it was enabled');
  const columns = given === undefined ? key : given.split(',').map((name) => name.trim());
  if (columns.length === 0) throw new UsageError('nothing is known of the key of this table: name it with --key');
  if (types.size === 0) {
    throw new UsageError(
      'nothing is known of the columns of this table yet, and values must be as its stream will bring them: ' +
        'name their types with --types Id=int,Price=decimal(10,2)',
    );
  }
  return columns;
}

function timeOf(given: string | undefined, modifiedMs: number): string {
  const time = given === undefined ? modifiedMs : Date.parse(given);
  if (Number.isNaN(time)) throw new UsageError('--taken-at is a time such as 2026-08-07T12:00:00Z');
  return new Date(time).toISOString();
}
