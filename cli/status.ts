import { parseArgs } from 'node:util';
import type { Status, StreamStatus } from '../shared/operate/status.ts';
import { API_OPTIONS, apiTarget, callApi } from './api.ts';
import { type Command, EXIT } from './command.ts';
import { tableText } from './terminal.ts';

const HEADER = [
  'stream',
  'received',
  'applied',
  'duplicate',
  'stale',
  'segments',
  'parked now',
  'dead now',
  'lag s',
  'last minute',
];

/** `tributary status`: the numbers of every stream, and what stands still. */
export const status: Command = async (args, context) => {
  const { values } = parseArgs({ args: [...args], options: { ...API_OPTIONS, json: { type: 'boolean' } } });
  const answer = await callApi<Status>(await apiTarget(values, context), 'status');
  const { terminal } = context;
  const troubles = troublesOf(answer);
  if (values.json === true) terminal.line(JSON.stringify(answer, null, 2));
  else {
    terminal.line(tableText(HEADER, answer.streams.map(rowOf)));
    for (const trouble of troubles) terminal.line(`! ${trouble}`);
  }
  return troubles.length === 0 ? EXIT.ok : EXIT.found;
};

function rowOf(stream: StreamStatus): (string | number)[] {
  return [
    `${stream.source}/${stream.stream}`,
    stream.received,
    stream.applied,
    stream.duplicate,
    stream.stale,
    stream.segments,
    stream.parkedNow,
    stream.deadLettersNow,
    stream.lagSeconds ?? '–',
    stream.minutes.at(-1)?.received ?? 0,
  ];
}

/** What an operator should look at, a line each. Dead letters and waiting records are work, not trouble. */
function troublesOf({ streams, timers }: Status): string[] {
  return [
    ...streams.flatMap(({ source, stream, error }) => (error === null ? [] : `${source}/${stream}: ${error}`)),
    ...timers.flatMap(({ name, late, lastRunAt }) =>
      late ? `timer ${name} does not run: its last run ended ${lastRunAt ?? 'never'}` : [],
    ),
    ...timers.flatMap(({ name, error }) => (error === null ? [] : `timer ${name} failed: ${error}`)),
  ];
}
