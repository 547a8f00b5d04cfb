import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { EventHubProducerClient } from '@azure/event-hubs';
import type { Answer } from '../shared/body/answer.ts';
import { appIdentity } from '../shared/identity.ts';
import { API_OPTIONS, apiTarget, callApi } from './api.ts';
import { type Command, type CommandContext, EXIT, UsageError } from './command.ts';
import { readStackFile } from './stackFile.ts';

const LINE_FILES = /\.(?:ndjson|jsonl)$/i;
const LINE_FEED = 0x0a;

/**
 * `tributary send FILE|DIR`. To a hub each file is an event; a file of lines (`.ndjson`, `.jsonl`) is an event per line.
 * To an endpoint each file is a request.
 */
export const send: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...API_OPTIONS,
      hub: { type: 'string' },
      connection: { type: 'string' },
      endpoint: { type: 'string' },
      partition: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw new UsageError('send takes one file or folder');
  const files = await filesOf(path);
  if (values.endpoint !== undefined) return sendToEndpoint(files, values.endpoint, values, context);
  const sent = await sendToHub(files, values, context);
  const { terminal } = context;
  terminal.line(values.json === true ? JSON.stringify({ sent }) : `${sent} events sent`);
  return EXIT.ok;
};

/** A file, or the files of a folder by name. */
async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return names.sort().map((name) => join(path, name));
}

async function sendToEndpoint(
  files: readonly string[],
  endpoint: string,
  options: {
    readonly url?: string | undefined;
    readonly key?: string | undefined;
    readonly json?: boolean | undefined;
  },
  context: CommandContext,
) {
  const { terminal } = context;
  if (!/^(?:goldengate|qlik)\/[^/]+$/.test(endpoint)) {
    throw new UsageError('--endpoint is goldengate/<stream> or qlik/<stream>');
  }
  const target = await apiTarget(options, context);
  let deadLettered = 0;
  for (const [index, file] of files.entries()) {
    terminal.progress('send', index, files.length);
    const body = await readFile(file);
    // What the body is, the app sees by itself.
    const headers = { 'content-type': 'application/octet-stream' };
    const answer = await callApi<Answer>(target, endpoint, { method: 'POST', body, headers });
    deadLettered += answer.deadLettered;
    terminal.line(options.json === true ? JSON.stringify({ file, ...answer }) : `${file}: ${summaryOf(answer)}`);
  }
  terminal.endProgress();
  return deadLettered === 0 ? EXIT.ok : EXIT.found;
}

function summaryOf({ errors, ...counts }: Answer): string {
  const said = Object.entries(counts).filter(([, count]) => count > 0);
  const failures = errors.map(({ index, reason, detail }) => `\n  ! ${index} ${reason}: ${detail}`);
  return said.map(([name, count]) => `${name} ${count}`).join(', ') + failures.join('');
}

interface HubOptions {
  readonly hub?: string | undefined;
  readonly connection?: string | undefined;
  readonly partition?: string | undefined;
}

async function sendToHub(files: readonly string[], options: HubOptions, context: CommandContext): Promise<number> {
  const producer = await openHub(options, context);
  const { terminal } = context;
  const place = options.partition === undefined ? {} : { partitionId: options.partition };
  let sent = 0;
  try {
    let batch = await producer.createBatch(place);
    for (const file of files) {
      for (const body of bodiesOf(file, await readFile(file))) {
        if (!batch.tryAdd({ body })) {
          await producer.sendBatch(batch);
          batch = await producer.createBatch(place);
          if (!batch.tryAdd({ body })) throw new UsageError(`${file}: ${body.length} bytes are too many for an event`);
        }
        terminal.progress('send', ++sent, null);
      }
    }
    if (batch.count > 0) await producer.sendBatch(batch);
  } finally {
    await producer.close();
  }
  terminal.endProgress();
  return sent;
}

function bodiesOf(file: string, content: Buffer): Buffer[] {
  if (!LINE_FILES.test(file)) return [content];
  const lines: Buffer[] = [];
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf(LINE_FEED, start);
    const stop = end === -1 ? content.length : end;
    const line = content.subarray(start, stop);
    if (line.some((byte) => byte > 0x20)) lines.push(line);
    start = stop + 1;
  }
  return lines;
}

async function openHub({ hub, connection }: HubOptions, context: CommandContext): Promise<EventHubProducerClient> {
  const stack = await readStackFile(context);
  const address = connection ?? context.environment.CES ?? stack?.eventHubsConnectionString;
  const name = hub ?? stack?.eventHubName;
  if (address === undefined) throw new UsageError('name the namespace with --connection, or the setting CES');
  const { EventHubProducerClient, parseEventHubConnectionString } = await import('@azure/event-hubs');
  if (!address.includes('=')) {
    if (name === undefined) throw new UsageError('name the hub with --hub');
    return new EventHubProducerClient(address, name, await appIdentity());
  }
  if (parseEventHubConnectionString(address).eventHubName !== undefined) return new EventHubProducerClient(address);
  if (name === undefined) throw new UsageError('name the hub with --hub');
  return new EventHubProducerClient(address, name);
}
