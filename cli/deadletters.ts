import { parseArgs } from 'node:util';
import type { DeadLetterSummary, DeadLetterView } from '../shared/operate/deadLetterView.ts';
import type { ReplayReport } from '../shared/operate/replayReport.ts';
import type { DeadLetterAddress } from '../shared/store/deadLetters.ts';
import { API_OPTIONS, type ApiTarget, apiTarget, callApi } from './api.ts';
import { type Command, type CommandContext, EXIT, type ExitCode, UsageError } from './command.ts';
import { type Terminal, tableText } from './terminal.ts';

const OPTIONS = {
  ...API_OPTIONS,
  json: { type: 'boolean' },
  stream: { type: 'string' },
  source: { type: 'string' },
  reason: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  limit: { type: 'string' },
  all: { type: 'boolean' },
  force: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const;

const FILTER_NAMES = ['stream', 'source', 'reason', 'from', 'to'] as const;
const DETAIL_CHARACTERS = 60;

type Values = ReturnType<typeof read>['values'];

/** `tributary deadletters list|show|replay|purge`. */
export const deadletters: Command = async (args, context) => {
  const { values, positionals } = read(args);
  const [action, ...ids] = positionals;
  const target = await apiTarget(values, context);
  switch (action) {
    case 'list':
      return list(target, values, context);
    case 'show':
      return show(target, values, ids, context);
    case 'replay':
      return replay(target, values, ids, context);
    case 'purge':
      return purge(target, values, ids, context);
    default:
      throw new UsageError('deadletters takes one of list, show, replay and purge');
  }
};

function read(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

interface ListAnswer {
  readonly deadLetters: readonly DeadLetterSummary[];
  readonly continuation: string | null;
}

async function list(target: ApiTarget, values: Values, { terminal }: CommandContext): Promise<ExitCode> {
  const answer = await callApi<ListAnswer>(target, 'deadletters', {
    query: { ...filterOf(values), limit: values.limit },
  });
  if (values.json === true) {
    terminal.line(JSON.stringify(answer, null, 2));
    return EXIT.ok;
  }
  const rows = answer.deadLetters.map(({ receivedAt, source, stream, reason, byteLength, tries, id, detail }) => {
    return [
      receivedAt.slice(0, 19),
      `${source}/${stream}`,
      reason,
      byteLength,
      tries,
      id,
      detail.slice(0, DETAIL_CHARACTERS),
    ];
  });
  if (rows.length === 0) terminal.line('there are no dead letters');
  else terminal.line(tableText(['received', 'stream', 'reason', 'bytes', 'tries', 'id', 'detail'], rows));
  if (answer.continuation !== null) terminal.line('… and more: narrow the filter, or raise --limit (at most 500)');
  return EXIT.ok;
}

async function show(
  target: ApiTarget,
  values: Values,
  [id]: readonly string[],
  { terminal }: CommandContext,
): Promise<ExitCode> {
  if (id === undefined || values.stream === undefined) throw new UsageError('show takes an id and --stream');
  const letter = await callApi<DeadLetterView>(target, `deadletters/${encodeURIComponent(id)}`, {
    query: { stream: values.stream },
  });
  if (values.json === true) {
    terminal.line(JSON.stringify(letter, null, 2));
    return EXIT.ok;
  }
  const { source, stream, reason, explanation, detail, receivedAt, tries, byteLength, position, text, decoded } =
    letter;
  terminal.line(`${source}/${stream}  ${reason}: ${detail}`);
  terminal.line(explanation);
  terminal.line(`received ${receivedAt}, ${byteLength} bytes in ${letter.pieces.length || 1} messages, ${tries} tries`);
  terminal.line(`position ${JSON.stringify(position)}`);
  terminal.line(`\ntoday’s code makes of it:\n${JSON.stringify(decoded, null, 2)}`);
  terminal.line(text === null ? `\nbytes (base64):\n${letter.bytes}` : `\ntext:\n${text}`);
  return EXIT.ok;
}

async function replay(
  target: ApiTarget,
  values: Values,
  ids: readonly string[],
  { terminal }: CommandContext,
): Promise<ExitCode> {
  const which = replayed(values, ids);
  const force = values.force === true;
  const numbers: { [name: string]: number } = {};
  const errors: ReplayReport['errors'][number][] = [];
  let continuation: string | null = null;
  do {
    const body: object = { ...which, force, continuation };
    const report: ReplayReport = await callApi<ReplayReport>(target, 'deadletters/replay', { method: 'POST', body });
    for (const [name, value] of Object.entries(report)) {
      if (typeof value === 'number' && name !== 'remaining') numbers[name] = (numbers[name] ?? 0) + value;
    }
    errors.push(...report.errors);
    const done = (numbers.replayed ?? 0) + (numbers.stillDead ?? 0) + (numbers.missing ?? 0);
    terminal.progress('replay', done, done + report.remaining);
    continuation = report.continuation;
  } while (continuation !== null);
  terminal.endProgress();
  if (values.json === true) terminal.line(JSON.stringify({ ...numbers, errors }, null, 2));
  else {
    const said = Object.entries(numbers).filter(([, value]) => value > 0);
    terminal.line(said.length === 0 ? 'nothing to replay' : said.map(([name, value]) => `${name} ${value}`).join(', '));
    for (const { stream, id, reason, detail } of errors) terminal.line(`! ${stream} ${id}  ${reason}: ${detail}`);
  }
  return errors.length === 0 ? EXIT.ok : EXIT.found;
}

function replayed(values: Values, ids: readonly string[]): { ids: DeadLetterAddress[] } | { filter: object } {
  const { stream } = values;
  if (ids.length > 0) {
    if (stream === undefined) throw new UsageError('ids need the --stream that they are of');
    return { ids: ids.map((id) => ({ stream, id })) };
  }
  const filter = filterOf(values);
  if (Object.keys(filter).length === 0 && values.all !== true) {
    throw new UsageError('replay takes ids, a filter, or --all');
  }
  return { filter };
}

async function purge(
  target: ApiTarget,
  values: Values,
  ids: readonly string[],
  { terminal }: CommandContext,
): Promise<ExitCode> {
  const filter = filterOf(values);
  if (Object.keys(filter).length === 0) throw new UsageError('purge takes ids with --stream, or a filter');
  if (values.yes !== true) throw new UsageError('purge deletes for good: say --yes');
  const deleted = ids.length > 0 ? await deleteAll(target, values, ids) : await purgeAll(target, filter, terminal);
  terminal.line(values.json === true ? JSON.stringify({ deleted }) : `${deleted} dead letters deleted`);
  return EXIT.ok;
}

async function deleteAll(target: ApiTarget, { stream }: Values, ids: readonly string[]): Promise<number> {
  if (stream === undefined) throw new UsageError('ids need the --stream that they are of');
  for (const id of ids) {
    await callApi(target, `deadletters/${encodeURIComponent(id)}`, { method: 'DELETE', query: { stream } });
  }
  return ids.length;
}

async function purgeAll(target: ApiTarget, query: { [name: string]: string }, terminal: Terminal): Promise<number> {
  let deleted = 0;
  for (;;) {
    const answer = await callApi<{ deleted: number; remaining: number }>(target, 'deadletters', {
      method: 'DELETE',
      query,
    });
    deleted += answer.deleted;
    terminal.progress('purge', deleted, deleted + answer.remaining);
    if (answer.remaining === 0) return deleted;
  }
}

function filterOf(values: Values): { [name: string]: string } {
  return Object.fromEntries(
    FILTER_NAMES.flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
