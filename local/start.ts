import './requireNode24.ts';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localSettings } from './localSettings.ts';
import { readOptions, type StartOptions, USAGE } from './options.ts';
import { printRows } from './rowsTable.ts';
import { sendSamples } from './sampleTraffic.ts';
import { type Stack, startStack } from './stack.ts';

/** `npm start`: the whole product in one terminal, until Ctrl-C or SIGTERM. */
const appRoot = join(import.meta.dirname, '..');
const stackFile = join(appRoot, '.local', 'stack.json');

const PARENT_POLL_MS = 500;

const stopped = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.resolve());

// A signal to npm ends the shell between npm and this process, which does not pass it on.
const shell = process.ppid;
if (process.env.npm_lifecycle_event === 'start') {
  setInterval(() => process.ppid === shell || stopped.resolve(), PARENT_POLL_MS).unref();
}

let options: StartOptions;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  process.exit(2);
}

if (options.help) {
  console.log(USAGE);
  process.exit();
}

let stack: Stack | undefined;
try {
  await rm(stackFile, { force: true });
  console.log('Starting Azurite, the Cosmos DB gateway, the Event Hubs broker and the Functions host …');
  stack = await startStack({
    ...options,
    appRoot,
    settings: await localSettings(appRoot),
    log: (line) => console.log(line),
  });
  const { description } = stack;
  if (options.samples) await Promise.race([demonstrate(stack), stopped.promise]);
  await mkdir(join(appRoot, '.local'), { recursive: true });
  await writeFile(stackFile, `${JSON.stringify(description, null, 2)}\n`);
  console.log(`
  page        ${description.functionsUrl}/api/ui   (asks for the function key)
  status      ${description.functionsUrl}/api/status   (header x-functions-key: ${description.functionKey})
  health      ${description.functionsUrl}/api/health
  Cosmos DB   ${description.cosmosEndpoint}   database ${description.cosmosDatabase}
  Event Hubs  ${description.eventHubsConnectionString.replace(/SharedAccessKey=[^;]*/, 'SharedAccessKey=…')}
  all of it   .local/stack.json
`);
  console.log(`ready ${description.functionsUrl}   (Ctrl-C stops everything)`);
  await stopped.promise;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
await rm(stackFile, { force: true });
await stack?.close();
process.exit();

async function demonstrate(running: Stack): Promise<void> {
  const sent = await sendSamples(running.description);
  console.log(`Sent ${sent} change events; these are the rows that they made:\n`);
  await printRows(running.description);
}
